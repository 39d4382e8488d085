"""Lesson 06, first part in class: its figures and drawn pictures, its steps."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from torch import nn

from course_utils import (
    digit_vit,
    photographs,
    training,
    vit_pictures,
    vit_pictures_drawn,
    vit_pictures_photo,
    vit_steps,
    vit_tiny,
)

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]


# --- pictures


def test_the_cat_is_the_same_each_time_and_scales() -> None:
    cat = vit_pictures_drawn.cat()
    assert cat.shape == (3, 224, 224)
    assert cat.min() >= 0
    assert cat.max() <= 1
    torch.testing.assert_close(vit_pictures_drawn.cat(), cat, atol=0, rtol=0)
    assert (vit_pictures_drawn.cat(56) - nn.functional.avg_pool2d(cat, 4)).abs().mean() < 0.05
    assert cat[2, 5, 5] > cat[1, 5, 5] > cat[0, 5, 5]  # the sky is above
    assert cat[1, 220, 5] > cat[2, 220, 5]  # the meadow below
    with pytest.raises(ValueError, match="1 pixel"):
        vit_pictures_drawn.cat(0)


def test_without_the_package_a_drawing_takes_the_photographs_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographs, "MODULE", "a_package_that_nobody_has")
    name, picture = vit_pictures_drawn.a_picture()
    assert name == "a drawn cat"
    torch.testing.assert_close(picture, vit_pictures_drawn.cat())


@pytest.mark.skipif(
    importlib.util.find_spec(photographs.MODULE) is None, reason=f"pip install --no-deps {photographs.PACKAGE}"
)
def test_with_the_package_it_is_a_photograph() -> None:
    name, picture = vit_pictures_drawn.a_picture()
    assert name == "a photograph of a cat"
    torch.testing.assert_close(picture, photographs.load("cat"))


@pytest.mark.parametrize("label", vit_pictures_drawn.STROKES)
def test_the_trained_network_reads_the_drawn_digits(label: int) -> None:
    with torch.no_grad():
        chances = digit_vit.load()(digit_vit.normalised(vit_pictures_drawn.digit(label)[None])).softmax(-1)[0]
    assert chances[label] > 0.95


def test_there_are_no_other_digits() -> None:
    with pytest.raises(ValueError, match="strokes for 4, 7"):
        vit_pictures_drawn.digit(3)


def test_noisy_shapes_are_anywhere_and_the_same_for_a_seed() -> None:
    some, again, other = (vit_pictures_drawn.noisy_shapes(300, seed) for seed in (1, 1, 2))
    assert some.images.shape == (300, 3, 32, 32)
    assert some.labels.bincount().min() > 70
    torch.testing.assert_close(some.images, again.images, atol=0, rtol=0)
    assert not torch.equal(some.labels, other.labels)
    assert some.images.min() >= -1
    assert some.images.max() <= 1
    bright = some.images.mean((0, 1))
    assert bright[16, 16] - bright[0, 0] > 0.05
    assert bright[6, 6] - bright[0, 0] > 0.02
    assert vit_pictures_drawn.noisy_shapes(0, 1).images.shape == (0, 3, 32, 32)
    with pytest.raises(ValueError, match="negative"):
        vit_pictures_drawn.noisy_shapes(-1, 1)


# --- figures


PATCH = torch.tensor([[[1.0, 0], [0, 1]], [[0, 1], [0, 1]], [[0, 0], [1, 1]]])


def test_the_hand_patch_shows_its_numbers_and_its_sums() -> None:
    weight = torch.tensor([[1.0] * 4 + [0] * 8, [0.0] * 4 + [1, 1, -1, -1] + [0] * 4])
    _, ax = vit_pictures.hand_patch(PATCH, weight, torch.tensor([0.5, -0.5]), "Twelve become two")
    words = [text.get_text() for text in ax.texts]
    assert words[4:16:1].count("1") + words[4:16].count("0") > 0
    assert {"2 + 0.5 = 2.5", "0 - 0.5 = -0.5", "A.R", "D.B"} <= set(words)
    assert ax.get_title() == "Twelve become two"
    with pytest.raises(ValueError, match="hand_patch draws"):
        vit_pictures.hand_patch(PATCH, weight.T, torch.zeros(2), "")


def test_a_route_says_what_leaves_each_box() -> None:
    stops = [(f"step {i}", (i, 7), True) for i in range(6)]
    _, ax = vit_pictures.route(stops, "A route")
    words = {text.get_text() for text in ax.texts}
    assert {f"step {i}" for i in range(6)} | {f"{i} x 7" for i in range(6)} <= words
    with pytest.raises(ValueError, match="one box"):
        vit_pictures.route([], "")


def test_a_block_has_a_shape_at_every_arrow() -> None:
    names = ("stream", "norm1", "qkv", "gates", "messages", "out", "norm2", "wide", "narrow")
    _, ax = vit_pictures.block_shapes({name: (2, place + 10) for place, name in enumerate(names)}, "A block")
    words = " ".join(text.get_text() for text in ax.texts)
    assert all(f"2 x {place + 10}" in words for place in range(len(names)))
    with pytest.raises(KeyError):
        vit_pictures.block_shapes({"stream": (1, 1)}, "")


def test_a_mask_has_a_cross_where_nobody_reads() -> None:
    masks = {"causal": (torch.ones(4, 4).tril(), list("abcd"), list("abcd")), "all": (np.ones((2, 3)), "ab", "cde")}
    _, axes = vit_pictures.who_reads_whom(masks, "Who reads whom")
    assert [sum(text.get_text() == "×" for text in ax.texts) for ax in axes] == [6, 0]
    assert (axes[0].get_ylabel(), axes[0].get_xlabel()) == ("query", "key")
    with pytest.raises(ValueError, match="2 queries and 3 keys"):
        vit_pictures.who_reads_whom({"all": (np.ones((3, 2)), "ab", "cde")}, "")
    with pytest.raises(ValueError, match="one mask"):
        vit_pictures.who_reads_whom({}, "")


def test_patches_are_numbered_in_reading_order() -> None:
    image = torch.arange(3 * 4 * 6).view(3, 4, 6) / 72
    assert vit_steps.place_of(5, columns=3) == (2, 2)
    np.testing.assert_allclose(vit_pictures_photo.patch_of(image, 5, patch=2), image[:, 2:4, 2:4])
    _, axes = vit_pictures_photo.patches_of(image, 5, "A picture", patch=2)
    assert axes[1].get_title().startswith("P5: row 2, column 2")
    assert {text.get_text() for text in axes[0].texts} == {"P1", "P2", "P3", "P4", "P6"}
    for number in (0, 7):
        with pytest.raises(ValueError, match="patches 1 to 6"):
            vit_pictures_photo.patch_of(image, number, patch=2)
    with pytest.raises(ValueError, match="do not fill"):
        vit_pictures_photo.patches_of(image, 1, "", patch=4)
    with pytest.raises(ValueError, match="counted from 1"):
        vit_steps.place_of(0)


def test_the_dial_redraws_and_says_which_patch() -> None:
    dial = vit_pictures_photo.patch_dial(torch.full((3, 64, 64), 0.2), start=6)
    assert "Patch 6 lies in row 2, column 2; its first pixel is [51, 51, 51]" in dial.picture
    before = dial.picture
    dial.controls["number"].value = 16
    assert "row 4, column 4" in dial.picture
    assert dial.picture != before


def test_two_softmaxes_keep_gates_from_0_to_1() -> None:
    gates, chances = torch.full((10,), 0.1), torch.tensor([0.2, 0.8])
    _, axes = vit_pictures_photo.two_softmaxes(torch.rand(1, 6, 6), gates, chances, ("a", "b"), "Two")
    assert axes[1].images[0].get_clim() == (0, 1)
    assert axes[2].get_ylim() == (0, 1)
    for wrong, labels in ((gates[:9], ("a", "b")), (gates * 20, ("a", "b")), (gates, ("a",))):
        with pytest.raises(ValueError, match=r"gates|labels"):
            vit_pictures_photo.two_softmaxes(torch.rand(6, 6), wrong, chances, labels, "")


# --- steps


def test_shapes_are_those_of_the_parts() -> None:
    names = ["conv_proj", "encoder.layers.encoder_layer_0.self_attention", "heads"]
    model = digit_vit.load()
    shapes = vit_steps.shapes_of(model, torch.rand(2, 3, 28, 28), names)
    assert shapes == dict(zip(names, [(2, 60, 7, 7), (2, 50, 60), (2, 10)], strict=True))
    assert not any(part._forward_hooks for part in model.modules())
    with pytest.raises(AttributeError):
        vit_steps.shapes_of(model, torch.rand(2, 3, 28, 28), ["body"])


def test_reading_the_average_is_the_head_on_the_mean_of_the_patches() -> None:
    model, images = digit_vit.load(), torch.rand(2, 3, 28, 28)
    with torch.no_grad():
        alone, seen = model(images), []
        spy = model.encoder.register_forward_hook(lambda module, inputs, rows: seen.append(rows))
        handle = vit_steps.read_the_average(model)
        averaged = model(images)
        torch.testing.assert_close(averaged, model.heads(seen[0][:, 1:].mean(1)))
        spy.remove()
        handle.remove()
        torch.testing.assert_close(model(images), alone)


def test_gradients_belong_to_parts_and_a_fresh_head_stops_them() -> None:
    model = training.seeded(digit_vit.make, 0)
    assert set(vit_steps.gradients(model).values()) == {0.0}
    model(torch.rand(2, 3, 28, 28)).square().add(1).log().sum().backward()  # logits are 0, so is this gradient
    model.zero_grad()
    nn.functional.cross_entropy(model(torch.rand(2, 3, 28, 28)), torch.tensor([1, 2])).backward()
    assert [part for part, size in vit_steps.gradients(model).items() if size > 0] == ["head"]
    trained = digit_vit.load()
    nn.functional.cross_entropy(trained(torch.rand(2, 3, 28, 28)), torch.tensor([1, 2])).backward()
    assert min(vit_steps.gradients(trained).values()) > 0
    assert tuple(vit_steps.gradients(trained)) == tuple(vit_steps.PARTS)
    whole = sum(float(p.grad.double().square().sum()) for p in trained.parameters() if p.grad is not None)
    assert sum(size**2 for size in vit_steps.gradients(trained).values()) == pytest.approx(whole)


def test_vit_tiny_has_the_parts_that_the_lesson_counts() -> None:
    with torch.device("meta"):
        model = vit_tiny.make()
    counted = {part: sum(p.numel() for n, p in model.named_parameters() if n.startswith(begins))
               for part, begins in vit_steps.PARTS.items()}  # fmt: skip
    assert counted == {"patch conv": 147_648, "CLS": 192, "positions": 37_824, "blocks": 12 * 444_864,
                       "final norm": 384, "head": 193_000}  # fmt: skip
    assert sum(counted.values()) == 5_717_416
