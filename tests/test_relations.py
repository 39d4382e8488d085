"""Pictures of relations hide no hint at their label; the network of lessons 04 and 05 knows just what it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
import torch

from course_utils import relations, training
from course_utils.relation_net import Position, RelationNet


def test_labels_follow_the_centres_and_pictures_are_the_same_again() -> None:
    one = relations.left_of(300, seed=4)
    assert one.images.shape == (300, 1, 32, 32)
    assert torch.equal(one.images, relations.left_of(300, seed=4).images)
    assert torch.equal(one.labels == 1, one.centres[:, 0, 1] < one.centres[:, 1, 1])
    two = relations.two_relations(300, seed=4)
    assert torch.equal(two.labels % 2 == 1, two.centres[:, 2, 0] < two.centres[:, 1, 0])
    assert torch.bincount(two.labels, minlength=4).min() > 50


@pytest.mark.parametrize("make", [relations.left_of, relations.two_relations])
def test_shapes_keep_off_the_border_and_each_other(make: Callable[..., relations.Scenes]) -> None:
    scenes = make(400, seed=1)
    assert not scenes.images[..., :2].any()
    assert not scenes.images[..., -2:, :].any()
    half = {2: 3, 3: 2}[scenes.centres.shape[1]]
    alone = [relations.draw(_only(scenes.centres, i), half) for i in range(scenes.centres.shape[1])]
    assert torch.equal(torch.stack(alone).sum(0), scenes.images)  # nothing is covered


def _only(centres: torch.Tensor, shape: int) -> torch.Tensor:
    """All other shapes far outside of the picture."""
    away = torch.full_like(centres, -100)
    away[:, shape] = centres[:, shape]
    return away


def test_the_phase_says_nothing_about_the_label() -> None:
    """The best guess from phases alone: the lecture's own sampler let it reach .65."""
    train, test = relations.left_of(40000, seed=0), relations.left_of(10000, seed=1)
    kinds = [((s.centres[:, :, 1] - relations.FIRST) % 4 * torch.tensor([4, 1])).sum(-1) for s in (train, test)]
    votes = torch.zeros(16).index_add(0, kinds[0], train.labels * 2.0 - 1)
    assert abs(((votes > 0)[kinds[1]] == (test.labels == 1)).double().mean() - 0.5) < 0.03


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="negative"):
        relations.left_of(-1, seed=0)
    with pytest.raises(ValueError, match="centres"):
        relations.draw(torch.zeros(3, 2))
    with pytest.raises(ValueError, match="4 divides"):
        RelationNet(position="rope", heads=8)


@pytest.mark.parametrize("position", ["none", "learned", "bias", "rope"])
def test_logits_have_a_shape_and_gates_sum_to_1(position: Position) -> None:
    net = cast(RelationNet, training.seeded(lambda: RelationNet(4, position=position), 0).eval())
    images = relations.two_relations(3, seed=0).images
    assert net(images).shape == (3, 4)
    assert net.gates(images).shape == (3, 2, 49, 49)
    torch.testing.assert_close(net.gates(images).sum(-1), torch.ones(3, 2, 49))


def test_without_position_cells_may_change_places() -> None:
    """Square and disc exchange their cells and keep their phases: only a network that knows places can notice."""
    scenes = relations.left_of(400, seed=0)
    phases = (scenes.centres - relations.FIRST) % 4
    there = (scenes.centres - phases).flip(1) + phases
    apart = torch.stack([centres.diff(dim=1).abs().amax((1, 2)) for centres in (scenes.centres, there)])
    far = (apart >= 14).all(0)  # no token sees both, before and after
    for centres in (scenes.centres, there):  # and each pixel of a shape is seen by two tokens in each direction
        far &= ((centres >= 7) & (centres <= 24)).all(-1).all(-1)
    assert far.sum() > 20
    exchanged = relations.draw(there[far])
    for position in ("none", "learned", "rope"):
        net = training.seeded(lambda p=position: RelationNet(position=p), 0).eval()
        with torch.no_grad():
            difference = (net(scenes.images[far]) - net(exchanged)).abs().max()
        assert (difference < 1e-5) == (position == "none")


def test_the_bias_of_a_pair_is_that_of_its_offset() -> None:
    net = RelationNet(position="bias", scale=10.0)
    torch.nn.init.normal_(net.bias)
    bias = net.offset_bias()
    assert bias is not None
    for query, key in [(0, 48), (10, 3), (24, 24)]:
        down, right = key // 7 - query // 7, key % 7 - query % 7
        torch.testing.assert_close(bias[:, query, key], 10 * net.bias[:, down + 6, right + 6])


def test_turned_scores_depend_on_the_offset_alone() -> None:
    net = RelationNet(position="rope", heads=1)
    q, k = torch.randn(2, 16, generator=torch.Generator().manual_seed(0))
    scores = net._turned(q.expand(1, 1, 49, 16)) @ net._turned(k.expand(1, 1, 49, 16)).mT  # (1, 1, 49, 49)
    torch.testing.assert_close(scores[0, 0, 0, 9], scores[0, 0, 24, 33])
    torch.testing.assert_close(scores[0, 0, 40, 32], scores[0, 0, 17, 9])
