"""Tests actgen.torch.replace on models of transformers."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from models import MODELS, run  # noqa: E402

import actgen.torch  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_activations_of_feed_forward_layers_are_replaced(name):
    replaced, difference, is_undone = run(name)
    assert any(MODELS[name].swapped in str(s) for s in replaced), list(map(str, replaced.left))
    assert difference < 4e-6 and is_undone


@pytest.mark.filterwarnings("ignore")
def test_layers_are_checkpointed_after_replace():
    """Models read the saved tensors of a layer twice under gradient_checkpointing_enable()."""
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64, resid_pdrop=0.0)
    config.attn_pdrop = config.embd_pdrop = 0.0
    torch.manual_seed(0)
    model, tokens = transformers.GPT2LMHeadModel(config).train(), torch.arange(24).reshape(2, 12)
    actgen.torch.replace(model)

    def gradients():
        model.zero_grad()
        model(input_ids=tokens, labels=tokens, use_cache=False).loss.backward()
        return [p.grad.clone() for p in model.parameters()]

    wanted = gradients()
    model.gradient_checkpointing_enable()
    for d, e in zip(gradients(), wanted, strict=True):
        torch.testing.assert_close(d, e)
