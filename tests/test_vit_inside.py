"""Lesson 06's look inside a ViT, timm's weights in torchvision's class, and photographs."""

from __future__ import annotations

import importlib.util
import sys
import urllib.request
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn
from torchvision.models import VisionTransformer

from course_utils import digit_vit, photographs, vit_hooks, vit_tiny

needs_photographs = pytest.mark.skipif(
    importlib.util.find_spec(photographs.MODULE) is None, reason=f"pip install --no-deps {photographs.PACKAGE}"
)


def draws(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random_images(count: int, side: int) -> Tensor:
    return torch.rand(count, 3, side, side, generator=draws())


# --- inside


def test_gates_and_tokens_of_every_block_are_recorded_and_logits_stay() -> None:
    model, images = digit_vit.load(), random_images(2, 28)
    alone = model(images)
    with vit_hooks.recorded(model) as inside:
        logits = model(images)
    torch.testing.assert_close(logits, alone, atol=1e-4, rtol=1e-4)
    assert [gates.shape for gates in inside.gates] == [(2, 3, 50, 50)] * 6
    assert [tokens.shape for tokens in inside.tokens] == [(2, 50, 60)] * 6
    for gates in inside.gates:
        torch.testing.assert_close(gates.sum(-1), torch.ones(2, 3, 50))
    assert inside.embedded is not None
    torch.testing.assert_close(inside.embedded, model.encoder.pos_embedding + _tokens(model, images))
    torch.testing.assert_close(model.heads(model.encoder.ln(inside.tokens[-1])[:, 0]), logits)


def _tokens(model: VisionTransformer, images: Tensor) -> Tensor:
    return torch.cat([model.class_token.expand(len(images), -1, -1), model._process_input(images)], 1)


def test_gates_are_those_of_the_blocks_own_queries_and_keys() -> None:
    model = digit_vit.load()
    with vit_hooks.recorded(model) as inside, torch.no_grad():
        model(random_images(1, 28))
    block, x = model.encoder.layers[1], inside.tokens[0]
    q, k, _ = block.self_attention.in_proj_weight.split(60)
    b, c, _ = block.self_attention.in_proj_bias.split(60)
    x = block.ln_1(x)
    q, k = (nn.functional.linear(x, w, v).unflatten(-1, (3, 20)).transpose(1, 2) for w, v in ((q, b), (k, c)))
    torch.testing.assert_close(inside.gates[1], (q @ k.mT / 20**0.5).softmax(-1), atol=1e-5, rtol=1e-4)


def test_patches_lie_as_in_the_image_and_the_last_call_counts() -> None:
    model, images = digit_vit.load(), random_images(3, 28)
    with vit_hooks.recorded(model) as inside, torch.no_grad():
        model(images)
        model(images[:1])
    assert len(inside.tokens) == len(inside.gates) == 6
    patches = inside.patches(-1)
    assert patches.shape == (1, 7, 7, 60)
    assert torch.equal(patches[0, 2, 5], inside.tokens[5][0, 1 + 2 * 7 + 5])
    with pytest.raises(ValueError, match="no block 6"):
        inside.patches(6)
    with pytest.raises(ValueError, match="0 blocks"):
        vit_hooks.Inside().patches(0)


def test_hooks_are_gone_afterwards_even_after_an_error_and_gradients_flow() -> None:
    model = digit_vit.load()
    with pytest.raises(ZeroDivisionError), vit_hooks.recorded(model):
        raise ZeroDivisionError
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    images = random_images(1, 28).requires_grad_()
    with vit_hooks.recorded(model) as inside:
        model(images)
    inside.gates[-1][0, 0, 0, 7].backward()
    assert images.grad is not None
    assert images.grad.abs().sum() > 0


# --- timm's weights


def timms_name(name: str) -> str:
    """torchvision's name of a parameter in timm's way, written independently of `vit_tiny`."""
    for here, there in (
        ("encoder.layers.encoder_layer_", "blocks."),
        ("encoder.pos_embedding", "pos_embed"),
        ("encoder.ln.", "norm."),
        ("class_token", "cls_token"),
        ("conv_proj.", "patch_embed.proj."),
        ("heads.head.", "head."),
        ("ln_1.", "norm1."),
        ("ln_2.", "norm2."),
        ("self_attention.in_proj_", "attn.qkv."),
        ("self_attention.out_proj.", "attn.proj."),
        ("mlp.0.", "mlp.fc1."),
        ("mlp.3.", "mlp.fc2."),
    ):
        name = name.replace(here, there)
    return name


def random_tiny() -> VisionTransformer:
    """ViT-Tiny in which every parameter is random, so that none may be swapped for another."""
    model = vit_tiny.make().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.05, generator=draws(parameter.numel()))
    return model


def test_weights_under_timms_names_give_equal_logits(tmp_path: Path) -> None:
    model = random_tiny()
    path = tmp_path / "model.safetensors"
    save_file({timms_name(name): tensor for name, tensor in model.state_dict().items()}, path)
    loaded, images = vit_tiny.load(path), vit_tiny.normalised(random_images(1, 224))
    assert not loaded.training
    with torch.no_grad():
        assert torch.equal(loaded(images), model(images))
    assert sum(parameter.numel() for parameter in loaded.parameters()) == 5_717_416


def test_names_are_those_of_timm() -> None:
    names = [timms_name(name) for name in vit_tiny.make().state_dict()]
    for name in ("cls_token", "pos_embed", "patch_embed.proj.bias", "blocks.11.attn.qkv.weight", "norm.weight"):
        assert name in names
    for name in ("blocks.0.mlp.fc2.bias", "blocks.3.norm1.weight", "blocks.7.attn.proj.weight", "head.bias"):
        assert name in names
    with pytest.raises(KeyError, match="fc_norm"):
        vit_tiny.from_timm({"fc_norm.weight": torch.zeros(1)})


def test_other_weights_and_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    for stored in ({"cls_token": torch.zeros(1, 1, 192)}, {"stem.weight": torch.zeros(3)}):
        save_file(stored, path)
        with pytest.raises(vit_tiny.NoWeights, match="another model"):
            vit_tiny.load(path)
    path.write_bytes(b"no weights")
    for wrong in (path, tmp_path / "none"):
        with pytest.raises(vit_tiny.NoWeights, match="cannot be read as weights"):
            vit_tiny.load(wrong)


def test_without_a_network_the_message_says_where_the_file_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))

    def closed(url: str, timeout: float) -> None:
        raise OSError("no route")

    monkeypatch.setattr(urllib.request, "urlopen", closed)
    with pytest.raises(vit_tiny.NoWeights, match=r"no route.*may be closed.*digit_vit\.load"):
        vit_tiny.load()
    assert list(tmp_path.iterdir()) == []


def test_what_was_fetched_once_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "there"
    save_file({timms_name(name): tensor for name, tensor in random_tiny().state_dict().items()}, there)
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "data"))
    asked: list[str] = []

    def serve(url: str, timeout: float) -> object:
        asked.append(url)
        return there.open("rb")

    monkeypatch.setattr(urllib.request, "urlopen", serve)
    for _ in range(2):
        vit_tiny.load()
    assert asked == [vit_tiny.URL]
    assert [path.name for path in (tmp_path / "data").iterdir()] == [vit_tiny.FILE]


def test_classes_of_imagenet_have_names() -> None:
    names = vit_tiny.labels()
    assert len(names) == vit_tiny.CLASSES
    assert (names[281], names[967]) == ("tabby", "espresso")


# --- photographs


@needs_photographs
@pytest.mark.parametrize("name", photographs.NAMES)
def test_photographs_are_read_without_their_package(name: str) -> None:
    image = photographs.load(name)
    assert (image.shape, image.dtype) == ((3, 224, 224), torch.float32)
    assert image.min() >= 0
    assert image.max() <= 1
    assert image.std() > 0.1
    assert photographs.MODULE not in sys.modules


def test_the_named_ones_are_found_in_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "skimage" / "data").mkdir(parents=True)
    (tmp_path / "skimage" / "__init__.py").write_text("raise ImportError")  # never imported
    Image.new("RGB", (45, 30), (51, 51, 51)).save(tmp_path / "skimage" / "data" / "chelsea.png")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert photographs.whole("cat").shape == (3, 30, 45)
    torch.testing.assert_close(photographs.load("cat", 20), torch.full((3, 20, 20), 0.2))


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(photographs.MissingPhotographs, match="pip install --no-deps scikit-image"):
        photographs.load("coffee")


def test_a_photograph_of_your_own_is_cropped_to_its_middle(tmp_path: Path) -> None:
    picture = Image.new("RGB", (50, 20))
    picture.paste((255, 255, 255), (15, 0, 35, 20))  # the middle square is white
    picture.save(tmp_path / "own.png")
    torch.testing.assert_close(photographs.load(tmp_path / "own.png", 8), torch.ones(3, 8, 8))
    assert torch.equal(photographs.whole(tmp_path / "own.png")[0, 0, 14:16], torch.tensor([0.0, 1.0]))
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was held upright
    picture.convert("L").save(tmp_path / "grey.jpg", exif=turned)
    assert photographs.whole(str(tmp_path / "grey.jpg")).shape == (3, 50, 20)


def test_fine_patterns_are_smoothed_before_they_shrink() -> None:
    stripes = (torch.arange(64) % 2).float().expand(3, 64, 64)
    assert (photographs.cropped(stripes, 16) - 0.5).abs()[..., 2:-2].max() < 0.1


def test_a_wrong_name_or_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Name one of astronaut, cat, coffee, rocket"):
        photographs.load("dog")
    (tmp_path / "x.png").write_text("no picture")
    with pytest.raises(ValueError, match="Save it as JPEG or PNG"):
        photographs.load(tmp_path / "x.png")
    with pytest.raises(ValueError, match="not 0"):
        photographs.cropped(torch.zeros(3, 4, 4), 0)
