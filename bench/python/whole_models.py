"""Models of transformers before and after actgen.torch.replace, on one thread.

    python bench/python/whole_models.py                 # --models Llama --dtypes float32

Each line has milliseconds of the model as it is and with its activations replaced, and the ratio. Forward calls record
nothing; training steps are a forward pass and a backward pass. Times are the least of many calls; both models take turns.
"""

import argparse
import copy
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from training import race

import actgen.torch

Inputs = dict[str, torch.Tensor]


class Case(NamedTuple):
    """A model, its configuration, and inputs of a size."""

    model: str
    config: dict[str, Any]
    inputs: Callable[[], Inputs]


def _tokens() -> Inputs:
    return {"input_ids": torch.randint(0, 1000, (2, 128))}


_WIDTHS = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4}
_GPT2 = {"n_embd": 256, "n_layer": 4, "n_head": 4, "n_positions": 128, "vocab_size": 1000}
_NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
_ENDS = {"bos_token_id": 1, "eos_token_id": 2}
MODELS = {
    "GPT-2": Case("GPT2Model", {**_GPT2, **_NO_DROPOUT, **_ENDS}, _tokens),
    "Llama": Case("LlamaModel", {**_WIDTHS, "intermediate_size": 688, "vocab_size": 1000}, _tokens),
    "ViT": Case(
        "ViTModel",
        {**_WIDTHS, "intermediate_size": 1024},  # patches of 16 x 16 in 224 x 224: 197 tokens
        lambda: {"pixel_values": torch.randn(1, 3, 224, 224)},
    ),
}


def _forward(model: torch.nn.Module, inputs: Inputs) -> Callable[[], object]:
    return torch.no_grad()(lambda: model(**inputs))


def _step(model: torch.nn.Module, inputs: Inputs) -> Callable[[], object]:
    def call() -> None:
        model.zero_grad(set_to_none=True)
        model(**inputs)[0].float().mean().backward()

    return call


def lines(name: str, dtype: torch.dtype, seconds: float) -> list[str]:
    """The lines of one model."""
    import transformers

    case = MODELS[name]
    torch.manual_seed(0)
    kind = getattr(transformers, case.model)
    before = kind(kind.config_class(**case.config)).to(dtype)
    after = copy.deepcopy(before)
    swapped = len(actgen.torch.replace(after))
    inputs = {key: t.to(dtype) if t.is_floating_point() else t for key, t in case.inputs().items()}
    found = []
    for label, of in (("forward", _forward), ("training step", _step)):
        best = race({"before": of(before, inputs), "after": of(after, inputs)}, seconds)
        cells = [f"{best[which] / 1e3:.2f}" for which in ("before", "after")]
        ratio = best["after"] / best["before"]
        found.append(f"| {name}, {str(dtype)[6:]}, {label} | {swapped} | {' | '.join(cells)} | {ratio:.3f} |")
    return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=lambda t: t.split(","), default=list(MODELS))
    parser.add_argument("--dtypes", type=lambda t: t.split(","), default=["float32", "bfloat16"])
    parser.add_argument("--seconds", type=float, default=4, help="for each number of the table")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    import transformers

    print(f"PyTorch {torch.__version__}, transformers {transformers.__version__}, one thread, milliseconds\n")
    print("| | replaced | before | after | ratio |\n|---|" + "--:|" * 4)
    for name in options.models:
        for dtype in options.dtypes:
            print("\n".join(lines(name, getattr(torch, dtype), options.seconds)), flush=True)


if __name__ == "__main__":
    main()
