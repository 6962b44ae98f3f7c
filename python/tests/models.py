"""Models of transformers with small configurations: what actgen.torch.replace swaps in them, and how far their outputs move.

python python/tests/models.py            # a line for each model; names of models choose some
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

import actgen.torch

_SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
_ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_TEXT = {**_SIZES, **_ENDS, "vocab_size": 99, "max_position_embeddings": 64}
_GROUPED = {**_TEXT, "num_key_value_heads": 2, "head_dim": 8}
_IMAGE = {**_SIZES, "image_size": 32, "patch_size": 8}
_GPT2 = {**_ENDS, "n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 99, "n_positions": 64}
_DISTILBERT = {"dim": 32, "hidden_dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 99}
_CONVNEXT = {"hidden_sizes": [8, 16, 16, 32], "depths": [1, 1, 2, 1], "layer_scale_init_value": 1.0}
_SWIN = {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2], "image_size": 32, "patch_size": 4, "window_size": 4}
_T5 = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 99}
_MAMBA = {**_ENDS, "hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 99, "state_size": 4}
_EXPERTS = {**_GROUPED, "num_experts_per_tok": 2}
_WHISPER = {
    **_ENDS,
    **{f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in (("layers", 2), ("ffn_dim", 64))},
    **{f"{side}_attention_heads": 4 for side in ("encoder", "decoder")},
    **{"d_model": 32, "vocab_size": 99, "num_mel_bins": 8, "max_source_positions": 16, "max_target_positions": 16},
    "decoder_start_token_id": 1,
}
_WAV2VEC2 = {
    **_SIZES,
    **{"conv_dim": (16, 16), "conv_stride": (5, 2), "conv_kernel": (10, 3), "num_feat_extract_layers": 2},
    **{"num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2},
}


def _ids() -> dict[str, torch.Tensor]:
    return {"input_ids": torch.arange(3, 19).reshape(2, 8)}


def _pixels() -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def _speech() -> dict[str, torch.Tensor]:
    return {"input_features": torch.randn(2, 8, 32), "decoder_input_ids": torch.arange(8).reshape(2, 4)}


class Case(NamedTuple):
    """A model, its configuration, its inputs, and what takes the place of the activation in its feed-forward layer."""

    model: str
    config: dict[str, Any]
    inputs: Callable[[], dict[str, torch.Tensor]]
    swapped: str


# Each model has its activation here. `swapped` stands in the text of one of its replacements.
MODELS = {
    "BERT": Case("BertModel", _TEXT, _ids, "'gelu'"),
    "RoBERTa": Case("RobertaModel", _TEXT, _ids, "'gelu'"),
    "ViT": Case("ViTModel", _IMAGE, _pixels, "'gelu'"),
    "DistilBERT": Case("DistilBertModel", _DISTILBERT, _ids, "'gelu'"),
    "ModernBERT": Case("ModernBertModel", {**_TEXT, "cls_token_id": 1, "sep_token_id": 2}, _ids, "geglu"),
    "GPT-2": Case("GPT2Model", _GPT2, _ids, "gelu_tanh"),
    "GPT-NeoX": Case("GPTNeoXModel", _TEXT, _ids, "'gelu'"),
    "Phi": Case("PhiModel", _TEXT, _ids, "gelu_tanh"),
    "Phi-3": Case("Phi3Model", _GROUPED, _ids, "swiglu"),
    "Falcon": Case("FalconModel", _TEXT, _ids, "'gelu'"),
    "CLIP": Case("CLIPVisionModel", _IMAGE, _pixels, "gelu_sigmoid"),
    "SigLIP": Case("SiglipVisionModel", _IMAGE, _pixels, "gelu_tanh"),
    "ConvNeXt": Case("ConvNextModel", _CONVNEXT, _pixels, "'gelu'"),
    "Swin": Case("SwinModel", _SWIN, _pixels, "'gelu'"),
    "T5": Case("T5EncoderModel", {**_T5, "feed_forward_proj": "gated-gelu"}, _ids, "geglu_tanh"),
    "Mixtral": Case("MixtralModel", {**_EXPERTS, "num_local_experts": 4}, _ids, "swiglu"),
    "Qwen3-MoE": Case("Qwen3MoeModel", {**_EXPERTS, "num_experts": 4, "moe_intermediate_size": 32}, _ids, "swiglu"),
    "gpt-oss": Case("GptOssModel", {**_EXPERTS, "num_local_experts": 4}, _ids, "sigmoid(1.702*g)"),
    "Nemotron": Case("NemotronModel", _GROUPED, _ids, "relu2"),
    "Whisper": Case("WhisperModel", _WHISPER, _speech, "'gelu'"),
    "Wav2Vec2": Case("Wav2Vec2Model", _WAV2VEC2, lambda: {"input_values": torch.randn(2, 400)}, "'gelu'"),
    "Mamba": Case("MambaModel", _MAMBA, _ids, "swiglu"),
    "Llama": Case("LlamaModel", _GROUPED, _ids, "swiglu"),
    "Mistral": Case("MistralModel", _GROUPED, _ids, "swiglu"),
    "Qwen2": Case("Qwen2Model", _GROUPED, _ids, "swiglu"),
    "Qwen3": Case("Qwen3Model", _GROUPED, _ids, "swiglu"),
    "Gemma": Case("GemmaModel", _GROUPED, _ids, "geglu_tanh"),
    "Gemma 2": Case("Gemma2Model", _GROUPED, _ids, "geglu_tanh"),
    "Gemma 3": Case("Gemma3TextModel", _GROUPED, _ids, "geglu_tanh"),
    "OLMo 2": Case("Olmo2Model", _GROUPED, _ids, "swiglu"),
    "Granite": Case("GraniteModel", _GROUPED, _ids, "swiglu"),
    "Cohere": Case("CohereModel", _GROUPED, _ids, "swiglu"),
    "SmolLM3": Case("SmolLM3Model", _GROUPED, _ids, "swiglu"),
}


class Outcome(NamedTuple):
    """The replacements of a model, the relative difference of its outputs, and whether `undo` gave the old ones again."""

    replaced: actgen.torch.Replacements
    difference: float
    is_undone: bool


def run(name: str) -> Outcome:
    """Replaces the activations of a model, and takes them back."""
    import transformers

    case = MODELS[name]
    torch.manual_seed(0)
    kind = getattr(transformers, case.model)
    model = kind(kind.config_class(**case.config)).eval()
    for p in model.parameters():
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=0.3)
    inputs = case.inputs()
    with torch.no_grad():
        before = model(**inputs)[0]
        replaced = actgen.torch.replace(model)
        after = model(**inputs)[0]
        listed = actgen.torch.Replacements()
        listed += replaced
        listed.left = replaced.left
        replaced.undo()
        again = model(**inputs)[0]
    difference = float((before - after).abs().max() / before.abs().max())
    return Outcome(listed, difference, torch.equal(before, again))


def main() -> None:
    """Prints the table."""
    warnings.filterwarnings("ignore")
    names = sys.argv[1:] or list(MODELS)
    outcomes = {name: run(name) for name in names}
    for name, (replaced, difference, is_undone) in outcomes.items():
        kinds = sorted({s.before for s in replaced})
        left = sorted({s.what for s in replaced.left})
        print(
            f"{name:11} {len(replaced):2} swapped, difference {difference:.1e}, undone {is_undone}: {', '.join(kinds)}"
        )
        if left:
            print(f"{'':11} left: {', '.join(left)}")
    done = sum(any(MODELS[n].swapped in str(s) for s in o.replaced) for n, o in outcomes.items())
    print(f"{done} of {len(names)}; largest difference {max(o.difference for o in outcomes.values()):.1e}")


if __name__ == "__main__":
    main()
