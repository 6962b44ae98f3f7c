"""Tests actgen.torch.replace on models of transformers."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from models import MODELS, run  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_activations_of_feed_forward_layers_are_replaced(name):
    replaced, difference, is_undone = run(name)
    assert any(MODELS[name].swapped in str(s) for s in replaced), list(map(str, replaced.left))
    assert difference < 4e-6 and is_undone
