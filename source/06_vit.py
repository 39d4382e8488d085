# ---
# jupyter:
#   course:
#     seconds:
#       cell: 90
#   jupytext:
#     notebook_metadata_filter: course,kernelspec,jupytext,-jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 06 · An image is a sequence of patches
#
# **The question:** attention takes a row of tokens. A photograph is a grid of pixels. How does the one read the other?
# In this homework you build the vision transformer (ViT), prove it equal to torchvision's, and teach it something new.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`cut`, `converted`, `gradients` and the like are such functions, too.)
#
# All exercises together take about 170 minutes. **Stuck? Go on:** run the later cells one by one. Exercises 1, 2 and 4
# are a chain (patches, rows, model), and 3 joins it at 4. You can solve 3, 5, 6 and 7 without any other. Exercise 8 (a
# new task) needs 4 and 5, and its last picture needs 6. Nothing needs 7.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import charts, check, settings, signs
from course_utils.described import described

settings.prepare(seed=0)

# %% [markdown]
# ## Cut a picture into words

# %%
first = signs.pictures(1, seed=1)
described(
    signs.patch_grid(first.images[0], signs.PATCH, "16 patches, numbered row by row"),
    "A noisy picture of a bright disc. Four by four patches cover it, numbered P1 to P16 row by row.",
)

# %% [markdown]
# **What to see.** The cut ignores what is in the picture: a boundary may run through the middle of the disc. Each patch
# becomes one token. The numbers tell where a token came from, and nothing but its number in the row tells it. (So the
# model needs positions, as in lesson 05.)
#
# **Words.** `B` is the number of images, `C` of channels, `h` and `w` are pixels, `P` is the side of a patch in pixels,
# `T` the number of patches, `D` the width of a token. Batch comes first, always. A *class score* is what the head gives
# to a class, before the softmax; after it, it is a *probability*.

# %% [markdown]
# ## Exercise 1 · `patchify`, `unpatchify`, `linear_from_conv`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 30 | 18 | nothing | all of torch |
#
# **Why.** A patch becomes a token in two steps: write its pixels in one row, then send the row through one `nn.Linear`
# that all patches share. A library does both at once, with a convolution whose stride is its kernel size. Both are the
# same layer, if, and only if, pixels and weights stand in the same order.
#
# **Steps.**
#
# 1. `patchify(images, patch)`: (B, C, h, w) → (B, T, C·P·P). Patches are numbered row by row. Inside a patch stand
#    first all numbers of channel 0, row by row, then all of channel 1, and so on.
# 2. `unpatchify(patches, height, width, patch)` is the way back: (B, T, C·P·P) → (B, C, h, w). You find C from the
#    numbers in a patch.
# 3. `linear_from_conv(conv)`: an `nn.Conv2d` with a square kernel, the stride of its kernel and no padding becomes the
#    `nn.Linear` that does the same to the rows of `patchify`. It has a copy of the weights, so that training it does
#    not change `conv`, and a bias only if `conv` has one.
#
# These raise **`ValueError`**, with a message of yours:
#
# - `patchify`: the patch is below 1, or does not divide height or width,
# - `unpatchify`: the same; there are more or fewer patches than the image needs; P·P does not divide the numbers in one,
# - `linear_from_conv`: the stride is not the kernel size, or there is padding.
#
# **By hand.** The lecture's patch of 2 × 2 pixels: A red [1, 0, 0], B green [0, 1, 0], C blue [0, 0, 1], D white
# [1, 1, 1]. Its row: all reds 1 0 0 1, all greens 0 1 0 1, all blues 0 0 1 1. One output adds the reds and .5, which
# gives 2.5. The other takes green of A and B, minus green of C and D, minus .5, which gives −.5. A second patch has A
# and B black, C and D green: [.5, −2.5].
#
# **What is tested.** That example; images higher than wide and wider than high; one channel and several; one batch and
# several images; a patch of a single pixel, and one as large as the image. Each of `patchify` and `unpatchify` alone,
# and one after the other. The converted layer against the convolution, its shape, its bias, its own weights. float32
# and float64 go in and come out. The inputs are not changed. The errors above.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "patchify", "schema_version": 3}
def patchify(images: Tensor, patch: int) -> Tensor:
    """Cut images into square patches and write each as one row.

    Args:
        images: (B, C, h, w).
        patch: side of a patch, in pixels.

    Returns:
        (B, T, C·P·P), patches row by row; in a patch channel by channel, each row by row.

    Raises:
        ValueError: the patch is below 1 or does not divide height and width.
    """
    ### BEGIN SOLUTION
    B, C, height, width = images.shape
    if patch < 1 or height % patch or width % patch:
        raise ValueError(f"patches of {patch} pixels do not fill an image of {height} x {width}")
    grid = images.reshape(B, C, height // patch, patch, width // patch, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, T, C P P)
    ### END SOLUTION


def unpatchify(patches: Tensor, height: int, width: int, patch: int) -> Tensor:
    """Put the rows of `patchify` back into images.

    Args:
        patches: (B, T, C·P·P).
        height, width: of the images, in pixels.
        patch: side of a patch, in pixels.

    Returns:
        (B, C, height, width).

    Raises:
        ValueError: patches of this side do not fill the image, or number and size of the rows do not fit.
    """
    ### BEGIN SOLUTION
    B, T, numbers = patches.shape
    if patch < 1 or height % patch or width % patch or numbers % patch**2 or T * patch**2 != height * width:
        raise ValueError(f"{T} patches of {numbers} numbers do not make an image of {height} x {width}")
    grid = patches.reshape(B, height // patch, width // patch, -1, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)  # (B, C, h, w)
    ### END SOLUTION


def linear_from_conv(conv: nn.Conv2d) -> nn.Linear:
    """The `nn.Linear` that does to the rows of `patchify` what a convolution does to the image.

    Args:
        conv: weight (D, C, P, P), stride P, no padding, with or without bias (D,).

    Returns:
        A new layer with weight (D, C·P·P), a copy.

    Raises:
        ValueError: stride and kernel size differ, or the convolution pads.
    """
    ### BEGIN SOLUTION
    if conv.stride != conv.kernel_size or conv.padding != (0, 0):
        raise ValueError(f"{conv} does not look at each pixel once")
    linear = nn.Linear(conv.weight[0].numel(), conv.out_channels, bias=conv.bias is not None)
    with torch.no_grad():
        linear.weight.copy_(conv.weight.flatten(1))  # (D, C P P)
        if conv.bias is not None:
            linear.bias.copy_(conv.bias)
    return linear
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: reshape alone gives the right shape and wrong rows</summary>
#
# Numbers of one patch do not lie beside each other in memory: its second row of pixels comes a whole row of the image
# later. First split h into (rows of patches, P) and w into (columns of patches, P). That is allowed: each split cuts one
# dimension into neighbours. You now have six dimensions. Then bring them into the order that you want, then merge.
# </details>
#
# <details><summary>Hint 2: which order of the six?</summary>
#
# Read the wish aloud from the slowest to the fastest: image, row of patches, column of patches, channel, row in the
# patch, column in the patch.
# </details>
#
# <details><summary>Hint 3: the two layers share their weights</summary>
#
# `.flatten` and `.view` give another look at the same memory, also inside an `nn.Parameter`. Something has to copy.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_patchify", "schema_version": 3}
@check.probe
def cut(images, patch):
    return patchify(images, patch), images  # the rows, and the images as they are afterwards


@check.probe
def put_together(patches, height, width, patch):
    return unpatchify(patches, height, width, patch), patches


@check.probe
def there_and_back(images, patch):
    return unpatchify(patchify(images, patch), images.shape[2], images.shape[3], patch)


@check.probe
def converted(weight, bias, rows, stride=None, padding=0):
    torch.manual_seed(0)
    D, C, P, _ = weight.shape
    conv = nn.Conv2d(C, D, P, stride=stride or P, padding=padding, bias=bias is not None)
    with torch.no_grad():
        for own, value in zip(conv.parameters(), [weight, bias], strict=False):
            own.copy_(value)
        linear = linear_from_conv(conv)
        if not isinstance(linear, nn.Linear):
            return None
        out = linear(rows)
        for own in linear.parameters():
            own += 1  # the convolution must not notice
    return out, tuple(linear.weight.shape), linear.bias is not None, [own.detach() for own in conv.parameters()]


def place_coded(count, channels, height, width):
    """Images whose numbers say where they stand: 100 · channel + 10 · row + column, and image 1 has 1000 more."""
    c, y, x = (torch.arange(n) for n in (channels, height, width))
    one = 100.0 * c[:, None, None] + 10 * y[:, None] + x
    return one + 1000 * torch.arange(count)[:, None, None, None]


def stands(t, i, C, h, w, P, order="right"):
    """What number i of patch t is, in image 0: where it stands, as 100 · channel + 10 · row + column."""
    down, right = (t % (h // P), t // (h // P)) if order == "columns" else (t // (w // P), t % (w // P))
    c, y, x = i // P**2, i // P % P, i % P
    if order == "pixels":
        c, y, x = i % C, i // C // P, i // C % P
    if order == "transposed":
        y, x = x, y
    return 100.0 * c + 10 * (P * down + y) + P * right + x


def rows_of(B, C, h, w, P, order="right"):
    """The rows of place-coded images."""
    t, i = torch.arange(h // P * (w // P))[:, None], torch.arange(C * P * P)
    return stands(t, i, C, h, w, P, order) + 1000 * torch.arange(B)[:, None, None]


def images_of(B, C, h, w, P, order):
    """What becomes of right rows when they are put together in another order."""
    c, y, x = torch.arange(C)[:, None, None], torch.arange(h)[:, None], torch.arange(w)
    high, wide, images = h // P, w // P, 1000 * torch.arange(B)[:, None, None, None]
    if order == "split":
        return stands(y % high * wide + x % wide, (c * P + y // high) * P + x // wide, C, h, w, P) + images
    if order == "strung":
        return stands((y * w + x) // P**2, c * P**2 + (y * w + x) % P**2, C, h, w, P) + images
    if order == "channels":
        n = ((c * high + y // P) * wide + x // P) * P**2 + y % P * P + x % P
        return stands(n // (C * P**2), n % (C * P**2), C, h, w, P) + images
    t = x // P * (h // P) + y // P if order == "columns" else y // P * (w // P) + x // P
    first, second = (x % P, y % P) if order == "transposed" else (y % P, x % P)
    i = (first * P + second) * C + c if order == "pixels" else (c * P + first) * P + second
    return stands(t, i, C, h, w, P) + images


ORDERS = {
    "in a patch stand all channels of a pixel, then of the next; channel 0 must come whole": "pixels",
    "patches are numbered column by column; number them row by row": "columns",
    "each patch is transposed: its rows of pixels come one after the other": "transposed",
}
BACK = ORDERS | {
    "h and w are made of (P, patches); each is made of (patches, P)": "split",
    "the patches are strung together, one whole patch after the other; its rows of pixels lie apart in the image": "strung",
    "reshape takes C for the first thing in a row; a row is one patch, so its number comes first": "channels",
}


def causes(B, C, h, w, P):
    """The rows that well-known mistakes give."""
    images, shape = place_coded(B, C, h, w), (B, -1, C * P * P)
    swapped = images.reshape(B, C, P, h // P, P, w // P).movedim((3, 5), (1, 2))
    return {name: rows_of(B, C, h, w, P, order) for name, order in ORDERS.items()} | {
        "one reshape of the whole image mixes patches; split h and w first": images.reshape(shape),
        "h and w are split into (P, patches); split them into (patches, P)": swapped.reshape(shape),
    }


def compare(count, channels, height, width, P, dtype=torch.float32):
    """Everything that must hold for images of one size."""
    images, right = place_coded(count, channels, height, width).to(dtype), rows_of(count, channels, height, width, P)
    case = f"images {tuple(images.shape)} and patches of {P} pixels"
    rows, after = cut(images, P)
    likely = {
        (count, channels * P * P, right.shape[1]): "each column is a patch; each row must be one",
        (count * right.shape[1], channels * P * P): "the patches of all images stand in one row; keep the batch",
    }.get(tuple(getattr(rows, "shape", ())), "one row for each patch: (B, T, C·P·P)")
    check.shape(rows, tuple(right.shape), f"patchify's result for {case}", likely=likely)
    check.dtype(rows, dtype, f"patchify's result for {case}", likely="they must have the type of the images")
    what = f"patchify's result for {case} (123 is channel 1, row 2, column 3)"
    check.close(rows, right, what, likely=causes(*images.shape, P))
    check.untouched([after], [images], "patchify leaves the images as they were")
    back(images, right.to(dtype), P, case)


def back(images, rows, P, case):
    """unpatchify alone, from the right rows."""
    B, C, h, w = images.shape
    likely = (
        "three channels are taken for granted"
        if C != 3
        else "a square image is taken for granted, or h and w change places"
    )
    with check.instead_of(
        ["invalid for input", "must match"], f"unpatchify makes {tuple(images.shape)} of {case}", likely
    ):
        whole, after = put_together(rows, h, w, P)
    check.shape(whole, (B, C, h, w), f"unpatchify's result for {case}", likely=likely)
    check.dtype(whole, images.dtype, f"unpatchify's result for {case}")
    likely = {f"on the way back, {name}": images_of(B, C, h, w, P, order) for name, order in BACK.items()}
    likely |= {"one reshape puts numbers of different patches side by side": rows.reshape(images.shape)}
    check.close(whole, images, f"unpatchify's result for {case}", likely=likely)
    check.untouched([after], [rows], "unpatchify leaves the patches as they were")


# Images whose numbers say where they stand.
for size in [(2, 3, 4, 6, 2), (1, 2, 6, 4, 2), (2, 1, 6, 3, 3), (2, 3, 4, 4, 4), (1, 4, 2, 3, 1)]:
    compare(*size)
compare(2, 3, 4, 8, 2, torch.float64)

# By hand: an image of 2 x 4 pixels holds the lecture's patch and a second one.
lecture = torch.tensor(
    [[[[1.0, 0, 0, 0], [0, 1, 0, 0]], [[0, 1, 0, 0], [0, 1, 1, 1]], [[0, 0, 0, 0], [1, 1, 0, 0]]]]
)  # (1, 3, 2, 4)
right = torch.tensor([[[1.0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]]])
pixels = torch.tensor([[[1.0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0]]])
rows, _ = cut(lecture, 2)
check.shape(
    rows, (1, 2, 12), "patchify's result for the lecture's two patches", likely="(B, T, C·P·P): one row for each patch"
)
likely = {
    "in a patch stand all channels of a pixel, then of the next; channel 0 must come whole, then channel 1": pixels
}
likely |= {"one reshape of the whole image mixes patches; split h and w first": lecture.reshape(1, 2, 12)}
check.close(rows, right, "patchify's result for the lecture's two patches", likely=likely)
images = check.normal((3, 2, 6, 9))
check.close(there_and_back(images, 3), images, "the result of patchify and then unpatchify")
for images, patch in [((1, 3, 6, 4), 4), ((1, 3, 4, 6), 4), ((1, 3, 4, 4), 0), ((1, 3, 4, 4), -2), ((1, 3, 4, 4), 8)]:
    rule = f"patches of {patch} do not fill {images[2:]}" + ("; test `patch < 1` before dividing" if patch < 1 else "")
    check.raises("ValueError", cut, torch.zeros(images), patch, rule=rule)
for size, *rest in [((1, 8, 12), 4, 4, 2), ((1, 3, 12), 4, 4, 2), ((1, 4, 10), 4, 4, 2), ((1, 4, 12), 4, 5, 2)]:
    check.raises("ValueError", put_together, torch.zeros(size), *rest, rule=f"patches {size} do not make {rest[:2]}")
check.raises("ValueError", put_together, torch.zeros(1, 4, 12), 5, 4, 2, rule="patches of 2 do not fill 5 x 4")
check.raises(
    "ValueError",
    put_together,
    torch.zeros(1, 4, 12),
    4,
    4,
    0,
    rule="a patch has at least one pixel; test `patch < 1` before dividing",
)


def compare_layers(weight, bias, rows, right, what):
    """The layer made from a convolution: shape, bias, result, and weights of its own."""
    likely = "a check is too strict: stride, kernel_size and padding are pairs, such as (0, 0)"
    with check.instead_of(["ValueError"], "this convolution cuts into patches and raises no ValueError", likely):
        found = converted(weight, bias, rows)
    likely = "a `return` is missing, or only the weight is returned"
    check.that(found is not None, "linear_from_conv returns an nn.Linear", likely=likely)
    out, shape, has_bias, own = found
    flat = (len(weight), weight[0].numel())
    check.equal(shape, flat, "the shape of the weight, (D, C·P·P),")
    likely = "the convolution's bias is missing" if bias is not None else "nn.Linear has a bias unless told otherwise"
    check.equal(has_bias, bias is not None, "whether the layer has a bias", likely=likely)
    likely = {
        "the weights stand in the order of pixels, not of channels": F.linear(
            rows, weight.permute(0, 2, 3, 1).flatten(1), bias
        ),
        "the filters are transposed": F.linear(rows, weight.mT.flatten(1), bias),
    }
    if rows.shape[1] > 1:  # wrong by the same in every row
        likely["the bias is not the convolution's: copy it, too"] = right + (out - right).mean((0, 1))
    check.close(out, right, what, atol=1e-4, likely=likely, otherwise="the weights are not those of the convolution")
    sent = [weight] if bias is None else [weight, bias]
    likely = "both layers share one memory: .flatten and .view do not copy"
    check.untouched(own, sent, "training the layer leaves the convolution as it was", likely=likely)


weight = torch.zeros(2, 3, 2, 2)
weight[0, 0], weight[1, 1] = 1, torch.tensor([[1.0, 1], [-1, -1]])
bias = torch.tensor([0.5, -0.5])
compare_layers(
    weight, bias, right, torch.tensor([[[2.5, -0.5], [0.5, -2.5]]]), "the layer's result for the lecture's two patches"
)
weight, bias, patch = check.normal((5, 3, 4, 4), (5,), (1, 3, 4, 4))  # one patch fills the image
for b in (bias, None):
    out = F.conv2d(patch, weight, b).flatten(2).mT  # (1, 1, 5)
    compare_layers(weight, b, patch.flatten(1)[:, None], out, "an image of a single patch")
check.raises(
    "ValueError", converted, weight, bias, patch.flatten(1), 2, rule="a kernel of 4 with a stride of 2 overlaps"
)
check.raises("ValueError", converted, weight, bias, patch.flatten(1), None, 1, rule="the convolution pads")

### BEGIN HIDDEN TESTS
for size in [(3, 2, 6, 9, 3), (1, 5, 8, 4, 4), (2, 1, 4, 10, 2), (4, 3, 5, 5, 5), (2, 2, 3, 2, 1)]:
    compare(*size)
    images = check.hidden(size[:4])
    rows, _ = cut(images, size[4])
    check.close(
        rows, F.unfold(images, size[4], stride=size[4]).mT, f"patchify's result for images {size[:4]}", likely={}
    )
    check.close(there_and_back(images, size[4]), images, "the result of patchify and then unpatchify")
for images, patch in [((2, 1, 6, 8), 4), ((2, 1, 8, 6), 4), ((2, 1, 6, 6), 0)]:
    rule = "the patches do not fill the image" + ("; test `patch < 1` before dividing" if patch < 1 else "")
    check.raises("ValueError", cut, torch.zeros(images), patch, rule=rule)
for size, *rest in [((2, 12, 9), 6, 9, 3), ((2, 6, 10), 6, 9, 3), ((2, 6, 9), 7, 9, 3), ((2, 6, 9), 6, 10, 3)]:
    check.raises("ValueError", put_together, torch.zeros(size), *rest, rule="the patches do not make the image")
for D, C, P in [(4, 2, 3), (7, 1, 2), (3, 5, 1)]:
    weight, bias, images = check.hidden((D, C, P, P), (D,), (2, C, 2 * P, 3 * P))
    rows = F.unfold(images, P, stride=P).mT
    for b in (bias, None):
        compare_layers(weight, b, rows, F.conv2d(images, weight, b, stride=P).flatten(2).mT, "the layer made from conv")
check.raises("ValueError", converted, torch.zeros(2, 1, 3, 3), None, rows, 2, rule="stride and kernel size differ")
check.raises("ValueError", converted, torch.zeros(2, 1, 3, 3), None, rows, None, 2, rule="the convolution pads")
### END HIDDEN TESTS

# %% [markdown]
# At the lecture's size: two pictures of 224 × 224 pixels, patches of 16, 192 features. Both ways, the same weights.

# %%
photographs = torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(0))
conv = nn.Conv2d(3, 192, 16, stride=16)
with torch.no_grad():
    by_conv = conv(photographs).flatten(2).mT  # (2, 196, 192)
    by_linear = linear_from_conv(conv)(patchify(photographs, 16))  # (2, 196, 192)
print(f"{by_conv.numel():,} features, {sum(p.numel() for p in conv.parameters()):,} parameters")
print(f"largest difference {(by_conv - by_linear).abs().max():.1e}, largest feature {by_conv.abs().max():.1f}")

# %% [markdown]
# **What to see.** The features are not equal to the last bit. Both ways add up one product for each number of a patch,
# in another order, and float32 rounds after each. Judge such a difference against the size of the features, not against zero.

# %% [markdown]
# ## Exercise 2 · `Embed`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 7 | `patchify` | all of torch |
#
# **Why.** The rows that enter the first block hold three things: what is in a patch (its features), where it was (a
# learned vector for each place), and one row more that belongs to no patch. It is called CLS. It starts from learned
# numbers, collects from all patches in the blocks, and at the end it alone is read.
#
# **Steps.** `Embed(image, patch, channels, width)` is an `nn.Module` for square images. T is the number of patches, D
# the width. Its parameters have these names and shapes, and there are no others:
#
# | name | shape | what it is |
# |---|---|---|
# | `project.weight`, `project.bias` | (D, C·P·P), (D,) | an `nn.Linear`, shared by all patches; no activation |
# | `cls` | (1, 1, D) | the row that CLS starts from |
# | `position` | (1, T + 1, D) | one vector for each row, CLS first |
#
# `embed(images)`:
#
# 1. Cut with your `patchify`, and send each row through `project`: (B, C, h, w) → (B, T, D).
# 2. Put CLS *before* the patches, the same in each image: (B, T + 1, D).
# 3. Add the positions to all rows, that of CLS included: (B, T + 1, D).
#
# Let `cls` and `position` start as small normal numbers: ours have a standard deviation of 1/50. Numbers as large as 1
# would drown what is in the patches, and the small model of exercise 8 would learn less.
#
# **By hand.** The lecture's ViT: an image of 224 pixels, patches of 16, D = 192. 14 · 14 = 196 patches, so the result
# is 197 × 192. The projection has 192 · 768 + 192 = 147,648 parameters, CLS 192, and the positions 197 · 192 = 37,824.
# (The lecture's 196 · 192 = 37,632 counts those of patches only.)
#
# And small, as the test asks: exercise 1's two patches are the upper half of an image of 4 × 4 pixels, and the lower half
# is black. With exercise 1's layer the four patches give [2.5, −.5], [.5, −2.5] and twice the bias, [.5, −.5]. Let `cls`
# be [10, 20] and `position` hold the rows [1, 2], [3, 4], [5, 6], [7, 8], [9, 11]. The result: [11, 22] for CLS, then
# [5.5, 3.5], [5.5, 3.5], [7.5, 7.5] and [9.5, 10.5].
#
# **What is tested.** These counts and other sizes; the lecture's two patches by hand; the result with weights that the
# test puts in; one image alone and in a batch; the images are not changed; gradients reach all four parameters; the
# same images give the same rows again; `cls` and `position` start small.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "Embed", "schema_version": 3}
class Embed(nn.Module):
    """From images to the rows that enter the first block.

    Args:
        image: side of the square image, in pixels.
        patch: side of a patch, in pixels; divides `image`.
        channels: of the image.
        width: numbers in a token.
    """

    def __init__(self, image: int = 224, patch: int = 16, channels: int = 3, width: int = 192) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.patch = patch
        tokens = (image // patch) ** 2 + 1
        self.project = nn.Linear(channels * patch**2, width)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.position = nn.Parameter(0.02 * torch.randn(1, tokens, width))
        ### END SOLUTION

    def forward(self, images: Tensor) -> Tensor:
        """From images (B, C, h, w) to rows (B, T + 1, D), CLS first."""
        ### BEGIN SOLUTION
        rows = self.project(patchify(images, self.patch))  # (B, T, D)
        return torch.cat([self.cls.expand(len(rows), -1, -1), rows], dim=1) + self.position  # (B, T + 1, D)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: torch.cat wants equal sizes</summary>
#
# `cls` has a batch of 1. `.expand` shows it B times without copying. Take B from the images, for the last batch of a
# data set is often smaller.
# </details>
#
# <details><summary>Hint 2: a parameter is missing</summary>
#
# A plain tensor is not trained, nor is it stored with the model. `nn.Parameter` registers it when you make it an
# attribute in `__init__`.
# </details>


# %% uses=["patchify"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_Embed", "schema_version": 3}
@check.probe
def named(*sizes):
    """Name and shape of each trainable parameter; names of plain tensors."""
    model = Embed(*sizes)
    plain = [name for name, value in vars(model).items() if isinstance(value, Tensor)]
    return {name: tuple(p.shape) for name, p in model.named_parameters() if p.requires_grad}, plain


@check.probe
def observe(sizes, weights, images, weight=None):
    torch.manual_seed(0)
    model = Embed(*sizes).eval()
    with torch.no_grad():
        for name, own in model.named_parameters():
            own.copy_(weights[name])
    if weight is None:
        with torch.no_grad():
            return model(images), model(images), images  # the rows, the rows again, the images as they are afterwards
    loss, own = (weight * model(images)).sum(), dict(model.named_parameters())
    return dict(zip(own, torch.autograd.grad(loss, list(own.values()), allow_unused=True), strict=True))


@check.probe
def started(*sizes):
    """How large the numbers of cls and position are in a new model, to one decimal: the root of their mean square."""
    torch.manual_seed(0)
    own = dict(Embed(*sizes).named_parameters())
    return {name: round(own[name].detach().square().mean().sqrt().item(), 1) for name in ("cls", "position")}


def expected_names(image, patch, channels, width):
    tokens = (image // patch) ** 2
    shapes = {"project.weight": (width, channels * patch**2), "project.bias": (width,)}
    return shapes | {"cls": (1, 1, width), "position": (1, tokens + 1, width)}


def same_names(*sizes):
    (found, plain), right = named(*sizes), expected_names(*sizes)
    image, patch, channels, width = sizes
    shapes = {
        ("position", (1, right["position"][1] - 1, width)): "CLS has a position, too: T + 1 rows",
        ("position", (1, 1, width)): "one position serves all rows; each has its own",
        ("position", (1, image // patch + 1, width)): "image // patch counts the patches of one side; square it",
        ("project.weight", (width, patch**2)): "a patch has C·P·P numbers, not P·P",
        ("project.weight", (channels * patch**2, width)): "inputs and outputs of nn.Linear are exchanged",
        ("project.weight", (width, channels, patch, patch)): "an nn.Conv2d; the card asks for an nn.Linear",
    }
    for name, shape in right.items():
        likely = "a plain tensor, which is not trained; nn.Parameter" if name in plain else "it has another name"
        if name == "project.bias" and "project.weight" in found:
            likely = "project has no bias"
        check.that(name in found, f"Embed{sizes} has a trainable parameter {name}; yours: {', '.join(found)}", likely)
        what = f"{name} of Embed{sizes} has shape {shape}; yours has {found[name]}"
        check.that(found[name] == shape, what, shapes.get((name, found[name]), ""))
    more = ", ".join(set(found) - set(right))
    check.that(not more, f"Embed{sizes} has no other parameter than these four; yours has {more}")


def small_start(*sizes):
    for name, size in started(*sizes).items():
        likely = f"{name} starts with a deviation of 1; small numbers are asked for, 1/50"
        likely = likely if size == 1 else "small numbers are asked for, with a deviation of 1/50"
        what = f"the numbers that {name} of Embed{sizes} starts with are small, below 0.3; a typical one of yours is {size}"
        check.that(size < 0.3, what, likely)


def rows_for(sizes, weights, images, what, right, likely=None):
    """The student's rows, compared with the right ones."""
    likely_size = "cls has a batch of 1; .expand shows it once for each image"
    with check.instead_of(["Sizes of tensors must match"], "several images go through together", likely_size):
        rows, again, after = observe(sizes, weights, images)
    check.shape(rows, tuple(right.shape), what, likely="CLS is one row more than there are patches: (B, T + 1, D)")
    check.dtype(rows, torch.float32, what)
    check.close(again, rows, what + ", asked again", atol=1e-4, otherwise="a part is drawn anew in forward")
    check.close(rows, right, what, atol=1e-4, likely=likely or {})
    check.untouched([after], [images], "Embed leaves the images as they were")


same_names(224, 16, 3, 192)
same_names(6, 2, 1, 5)
same_names(12, 4, 2, 7)

# By hand: four patches, of which the lecture knows the first two; the last two are black.
image = torch.zeros(1, 3, 4, 4)
image[0, 0, 0, 0] = image[0, :, 1, 1] = image[0, 1, 0, 1] = image[0, 2, 1, 0] = 1
image[0, 1, 1, 2:] = 1
weights = {"project.weight": torch.zeros(2, 12), "project.bias": torch.tensor([0.5, -0.5])}
weights["project.weight"][0, :4] = 1
weights["project.weight"][1, 4:8] = torch.tensor([1.0, 1, -1, -1])
weights |= {
    "cls": torch.tensor([[[10.0, 20]]]),
    "position": torch.tensor([[[1.0, 2], [3, 4], [5, 6], [7, 8], [9, 11]]]),
}
content = torch.tensor([[[10.0, 20], [2.5, -0.5], [0.5, -2.5], [0.5, -0.5], [0.5, -0.5]]])
place = weights["position"]
last = torch.cat([content[:, 1:], content[:, :1]], 1)
likely = {
    "the positions are not added": content,
    "CLS comes after the patches; it must come first": last + place,
    "the patches have no positions": torch.cat([content[:, :1] + place[:, :1], content[:, 1:]], 1),
    "CLS has no position: the first vector is its own": torch.cat([content[:, :1], (content + place)[:, 1:]], 1),
    "CLS got no position, and the patches took its vector": torch.cat(
        [content[:, :1], (content[:, 1:] + place[:, :-1])], 1
    ),
    "cls is not used; a row of zeros stands there": content * (torch.arange(5) > 0)[:, None] + place,
    "an activation follows the projection; there is none": torch.cat([content[:, :1], content[:, 1:].relu()], 1)
    + place,
    "the positions multiply; they must be added": content * place,
    "positions are added twice": content + place + place * (torch.arange(5) > 0)[:, None],
    "the rows are normalised; the first norm stands in the block": F.layer_norm(content + place, (2,)),
    "the patches are cut pixel by pixel; patchify goes channel by channel": place
    + torch.tensor([[[10.0, 20], [1.5, 0.5], [0.5, -1.5], [0.5, -0.5], [0.5, -0.5]]]),
}
right = torch.tensor([[[11.0, 22], [5.5, 3.5], [5.5, 3.5], [7.5, 7.5], [9.5, 10.5]]])
rows_for((4, 2, 3, 2), weights, image, "Embed's result for the lecture's patches", right, likely)
batch = torch.cat([image, image.flip(-1), image.flip(-2)])
alone = [observe((4, 2, 3, 2), weights, batch[i : i + 1])[0] for i in range(3)]
rows_for((4, 2, 3, 2), weights, batch, "Embed's result for a batch of three images", torch.cat(alone))

weight = check.normal((3, 5, 2))
found = observe((4, 2, 3, 2), weights, batch, weight)
for name, got in found.items():
    check.that(got is not None, f"a gradient reaches {name}", likely=".detach(), .data or torch.tensor(...)")
check.close(found["position"], weight.sum(0, keepdim=True), "the gradient of position", rtol=1e-3, atol=1e-4)
check.close(found["cls"], weight[:, :1].sum(0, keepdim=True), "the gradient of cls", rtol=1e-3, atol=1e-4)
small_start(224, 16, 3, 192)

### BEGIN HIDDEN TESTS
for image, patch, channels, width, count in [(6, 3, 2, 4, 5), (8, 2, 1, 3, 2), (4, 4, 5, 6, 1), (9, 3, 3, 2, 4)]:
    sizes = (image, patch, channels, width)
    same_names(*sizes)
    names = expected_names(*sizes)
    weights = dict(zip(names, check.hidden(*names.values()), strict=True))
    images, weight = check.hidden((count, channels, image, image), (count, (image // patch) ** 2 + 1, width))
    own = {name: value.clone().requires_grad_() for name, value in weights.items()}
    content = F.linear(F.unfold(images, patch, stride=patch).mT, own["project.weight"], own["project.bias"])
    right = torch.cat([own["cls"].repeat(count, 1, 1), content], 1) + own["position"]
    rows_for(sizes, weights, images, f"Embed's result for images {tuple(images.shape)}", right.detach())
    wanted = torch.autograd.grad((weight * right).sum(), list(own.values()))
    for name, want in zip(own, wanted, strict=True):
        got = observe(sizes, weights, images, weight)[name]
        check.that(got is not None, f"a gradient reaches {name}", likely=".detach(), .data or torch.tensor(...)")
        check.close(got, want, f"the gradient of {name}", rtol=1e-3, atol=1e-3)
small_start(96, 8, 1, 160)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3 · `EncoderBlock`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 25 | 7 | nothing | all of torch |
#
# **Why.** A block does two things to the rows. Attention mixes *across* rows: each may collect from all others. The MLP
# changes each row *by itself*. Both are corrections: they are added to what came in, so that a block can start by doing
# next to nothing, and the gradient finds a straight way back.
#
# **Steps.** `EncoderBlock(width, heads, hidden)` is an `nn.Module` with these parts:
#
# | name | part |
# |---|---|
# | `norm1`, `norm2` | `nn.LayerNorm` over the width, with an eps of $10^{-6}$ |
# | `attention` | `nn.MultiheadAttention` with biases, batch first, no dropout |
# | `mlp` | `nn.Sequential` of `nn.Linear(width, hidden)`, `nn.GELU()`, `nn.Linear(hidden, width)` |
#
# The test puts its own numbers in, by their names: `attention.in_proj_weight`, `mlp.2.bias` and so on. Your own
# `MultiHeadAttention` may stand in for PyTorch's if its parameters have the same names and shapes.
#
# `block(x)`, (B, T, D) → (B, T, D):
#
# 1. Normalise the rows with `norm1`, let each attend to all, and add the result to `x`.
# 2. Normalise *these new* rows with `norm2`, send them through the MLP, and add the result to them.
#
# **By hand.** One row [3, 1]. Its mean is 2, its standard deviation 1, so `norm2` makes [1, −1] of it. With an MLP
# whose weights are 1 on the diagonal and whose biases are 0, GELU gives [.841, −.159]. If attention adds nothing, the
# block returns [3.841, .841].
#
# **What is tested.** That row; the block against torchvision's `EncoderBlock` with copied weights, for several widths,
# heads and hidden widths, with large rows and with tiny ones (where eps counts); images of a batch do not mix; `x` is
# not changed; gradients reach all parameters.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "EncoderBlock", "schema_version": 3}
class EncoderBlock(nn.Module):
    """A pre-norm block: attention, then an MLP, each added to what came in.

    Args:
        width: numbers in a token.
        heads: of the attention; divides `width`.
        hidden: width of the MLP between its two layers.
    """

    def __init__(self, width: int = 192, heads: int = 3, hidden: int = 768) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """From rows (B, T, D) to rows (B, T, D)."""
        ### BEGIN SOLUTION
        rows = self.norm1(x)
        x = x + self.attention(rows, rows, rows, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: which three arguments does attention take?</summary>
#
# Queries, keys and values. In self-attention all three are made of the same rows: the normalised ones. It returns two
# things, and you need the first.
# </details>
#
# <details><summary>Hint 2: the images of a batch mix</summary>
#
# `nn.MultiheadAttention` takes the first dimension for the tokens, unless you say `batch_first=True`.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_EncoderBlock", "schema_version": 3}
from torchvision.models import vision_transformer as library


@check.probe
def named(*sizes):
    """Name and shape of each trainable parameter."""
    return {name: tuple(p.shape) for name, p in EncoderBlock(*sizes).named_parameters() if p.requires_grad}


@check.probe
def observe(sizes, weights, x, weight=None):
    torch.manual_seed(0)
    block = EncoderBlock(*sizes)
    with torch.no_grad():
        for name, own in block.named_parameters():
            own.copy_(weights[name])
    if weight is None:
        with torch.no_grad():  # in training mode, where dropout would show
            return block(x), block(x.clone()), x  # the rows, the rows again, and x as it is afterwards
    loss, own = (weight * block(x)).sum(), dict(block.named_parameters())
    return dict(zip(own, torch.autograd.grad(loss, list(own.values()), allow_unused=True), strict=True))


OURS = {"norm1": "ln_1", "attention": "self_attention", "norm2": "ln_2", "mlp.0": "mlp.0", "mlp.2": "mlp.3"}


def torchvision_block(width, heads, hidden, weights):
    """The library's block with these weights."""
    block = library.EncoderBlock(heads, width, hidden, 0.0, 0.0)
    given = {}
    for name, value in weights.items():
        mine = next(part for part in OURS if name.startswith(part + "."))
        given[OURS[mine] + name.removeprefix(mine)] = value
    block.load_state_dict(given)
    return block


def expected_names(width, heads, hidden):
    square, one = (width, width), (width,)
    shapes = {"norm1.weight": one, "norm1.bias": one}
    shapes |= {"attention.in_proj_weight": (3 * width, width), "attention.in_proj_bias": (3 * width,)}
    shapes |= {"attention.out_proj.weight": square, "attention.out_proj.bias": one}
    shapes |= {"norm2.weight": one, "norm2.bias": one, "mlp.0.weight": (hidden, width), "mlp.0.bias": (hidden,)}
    return shapes | {"mlp.2.weight": (width, hidden), "mlp.2.bias": one}


def same_names(*sizes):
    found, right = named(*sizes), expected_names(*sizes)
    for name, shape in right.items():
        likely = "an attribute has another name"
        if name.replace("bias", "weight") in found:
            likely = f"{name.split('.')[0]} has no bias"
        elif name.startswith("mlp.2") and "mlp.0.weight" in found:
            likely = "the Sequential holds something else between its two layers than nn.GELU()"
        check.that(name in found, f"the block has a trainable parameter {name}; yours: {', '.join(found)}", likely)
        what = f"{name} of EncoderBlock{sizes} has shape {shape}; yours has {found[name]}"
        four = found[name] in [(4 * sizes[0], sizes[0]), (sizes[0], 4 * sizes[0]), (4 * sizes[0],)]
        likely = (
            "four times the width, in place of hidden" if four else "the order of the sizes is width, heads, hidden"
        )
        check.that(found[name] == shape, what, likely)
    more = ", ".join(set(found) - set(right))
    check.that(not more, f"EncoderBlock has no other parameters than the card's; yours has {more}")


def drawn(sizes, draw, scale=0.5):
    """Weights for the block; those of the norms are around 1."""
    names = expected_names(*sizes)
    values = draw(*names.values())
    return {
        name: 1 + 0.3 * value if name in ("norm1.weight", "norm2.weight") else scale * value
        for name, value in zip(names, values, strict=True)
    }


def changed(block, change):
    """The library's block with one mistake."""
    other = copy.deepcopy(block)
    change(other)
    return other


def mistakes(block, x):
    """What well-known mistakes make of x."""
    rows = block.ln_1(x)
    mixed = block.self_attention(rows, rows, rows)[0]
    h, whole, same = x + mixed, block(x), nn.Identity()

    def finish(h):
        return h + block.mlp(block.ln_2(h))

    def post_norm():
        h = block.ln_1(x + block.self_attention(x, x, x)[0])
        return block.ln_2(h + block.mlp(h))

    def sequence_first():
        turned = rows.transpose(0, 1)
        return finish(x + block.self_attention(turned, turned, turned)[0].transpose(0, 1))

    def one_head(other):
        other.self_attention.num_heads, other.self_attention.head_dim = 1, x.shape[-1]

    later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()

    def activation(function):
        return changed(block, lambda other: other.mlp.__setitem__(1, function))(x)

    def eps(other):
        other.ln_1.eps = other.ln_2.eps = 1e-5

    return {
        "the norms come after adding; here they come before (pre-norm)": post_norm(),
        "eps is 1e-5, PyTorch's default; here it is 1e-6": changed(block, eps)(x),
        "the first norm is missing": changed(block, lambda other: setattr(other, "ln_1", same))(x),
        "the second norm is missing": changed(block, lambda other: setattr(other, "ln_2", same))(x),
        "one norm serves twice; the second has numbers of its own": changed(
            block, lambda other: setattr(other, "ln_2", other.ln_1)
        )(x),
        "ReLU stands where GELU belongs": activation(nn.ReLU()),
        "GELU is approximated by tanh; the exact one is nn.GELU()": activation(nn.GELU(approximate="tanh")),
        "no activation in the MLP": activation(same),
        "attention is not added to x, but takes its place": finish(mixed),
        "the MLP is not added, but takes the place of its rows": whole - h,
        "x itself is added at the end, not the rows after attention": whole - mixed,
        "the MLP reads x, not the rows after attention": h + block.mlp(block.ln_2(x)),
        "attention is missing": finish(x),
        "the MLP is missing": h,
        "attention is added to the normalised rows, not to x": finish(rows + mixed),
        "the MLP is added to the normalised rows": block.ln_2(h) + block.mlp(block.ln_2(h)),
        "only the queries are normalised; keys and values come from the same rows": finish(
            x + block.self_attention(rows, x, x)[0]
        ),
        "the values are made of x; all three are made of the normalised rows": finish(
            x + block.self_attention(rows, rows, x)[0]
        ),
        "a mask hides later rows; patches have no future": finish(
            x + block.self_attention(rows, rows, rows, attn_mask=later)[0]
        ),
        "attention has one head, whatever heads says": changed(block, one_head)(x),
        "the first dimension was taken for the tokens: batch_first=True": sequence_first(),
    }


def compare(sizes, weights, x, what):
    block = torchvision_block(*sizes, weights)
    rows, again, after = observe(sizes, weights, x)
    likely = "the block returns the rows alone, not the gates; attention returns both"
    check.that(not isinstance(rows, (tuple, list)), "the block returns one tensor", likely)
    check.shape(rows, tuple(x.shape), what)
    check.untouched([after], [x], "the block leaves x as it was")
    check.close(again, rows, what + ", asked again", atol=1e-4, otherwise="dropout, or a part that is drawn in forward")
    with torch.no_grad():
        right, likely = block(x), mistakes(block, x)
    check.close(rows, right, what, rtol=1e-4, atol=2e-5, likely=likely, otherwise="another order of the parts")


same_names(192, 3, 768)
same_names(6, 2, 5)

# By hand: one row, attention adds nothing, the MLP keeps [1, -1] but for GELU.
names = expected_names(2, 1, 2)
plain = {name: torch.zeros(shape) for name, shape in names.items()}
plain |= {"norm1.weight": 2 * torch.ones(2), "norm2.weight": torch.ones(2)}
plain |= {"mlp.0.weight": torch.eye(2), "mlp.2.weight": torch.eye(2)}
likely = "nn.MultiheadAttention returns two things, rows and gates; take the first: [0]"
with check.instead_of(["tuple"], "the result of attention is a tensor that can be added to x", likely):
    rows, *_ = observe((2, 1, 2), plain, torch.tensor([[[3.0, 1]]]))
likely = "the block returns the rows alone, not the gates; attention returns both"
check.that(not isinstance(rows, (tuple, list)), "the block returns one tensor", likely)
likely = {
    "ReLU stands where GELU belongs": torch.tensor([[[4.0, 1]]]),
    "the second norm is missing": torch.tensor([[[3 + 2.9960, 1 + 0.8413]]]),
    "attention's result takes the place of x; it must be added": torch.zeros(1, 1, 2),
    "one norm serves twice; the second has numbers of its own": torch.tensor([[[4.9545, 0.9545]]]),
    "attention is added to the normalised rows, not to x": torch.tensor([[[2.8413, -2.1587]]]),
    "the MLP is added to the normalised rows": torch.tensor([[[1.8413, -1.1587]]]),
    "the row before the MLP is not added": torch.tensor([[[0.8413, -0.1587]]]),
    "no activation in the MLP": torch.tensor([[[4.0, 0]]]),
    "the norm comes last; here it comes before attention and MLP (pre-norm)": torch.tensor([[[1.0, -1]]]),
    "the MLP is missing": torch.tensor([[[3.0, 1]]]),
}
check.close(rows, torch.tensor([[[3.8413, 0.8413]]]), "the row [3, 1]", rtol=1e-3, atol=1e-3, likely=likely)

# With copied weights: ordinary rows, tiny ones, one image alone and in a batch.
for sizes, shape in [((6, 2, 5), (2, 4, 6)), ((6, 3, 7), (3, 5, 6)), ((8, 1, 3), (1, 2, 8))]:
    weights = drawn(sizes, check.normal)
    x = check.normal(shape, seed=1)
    compare(sizes, weights, x, f"the result of EncoderBlock{sizes} for x {shape}")
    compare(sizes, weights, 2e-3 * x, f"the result of EncoderBlock{sizes} for tiny x {shape}")
    compare(sizes, weights, 30 * x, f"the result of EncoderBlock{sizes} for large x {shape}")
    alone, *_ = observe(sizes, weights, x[:1])
    both, *_ = observe(sizes, weights, x)
    check.close(both[:1], alone, "the first image in a batch", atol=1e-4, otherwise="the images of a batch mix")
for name, got in observe(sizes, weights, x, check.normal((1, 2, 8), seed=2)).items():
    check.that(got is not None, f"a gradient reaches {name}", likely=".detach(), .data or no_grad")

### BEGIN HIDDEN TESTS
for sizes, shape in [
    ((4, 2, 9), (3, 6, 4)),
    ((9, 3, 4), (2, 3, 9)),
    ((10, 5, 6), (1, 7, 10)),
    ((12, 4, 12), (4, 1, 12)),
]:
    same_names(*sizes)
    weights = drawn(sizes, check.hidden)
    x, weight = check.hidden(shape, shape)
    for scale in (1, 2e-3, 20):
        compare(sizes, weights, scale * x, f"the result of EncoderBlock{sizes}")
    block = torchvision_block(*sizes, weights)
    wanted = torch.autograd.grad((weight * block(x)).sum(), list(block.parameters()))
    found = observe(sizes, weights, x, weight)
    for (theirs, _), want in zip(block.named_parameters(), wanted, strict=True):
        name = next(mine + theirs.removeprefix(part) for mine, part in OURS.items() if theirs.startswith(part + "."))
        check.that(found[name] is not None, f"a gradient reaches {name}", likely=".detach(), .data or no_grad")
        check.close(found[name], want, f"the gradient of {name}", rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4 · `ViT`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 8 | `Embed`, `EncoderBlock` | all of torch, but not torchvision's model |
#
# **Why.** All parts exist. Put together they are the model of the paper. If it is the same model, then somebody else's
# trained weights will work in it, number for number. That is the test.
#
# **Steps.** `ViT(image, patch, channels, width, heads, blocks, hidden, classes)` has these parts, by these names, so
# that weights find their place: `embed`, an `Embed` of yours; `blocks`, several `EncoderBlock`s, each with weights of
# its own, in an `nn.ModuleList` or `nn.Sequential`; `norm`, a last `nn.LayerNorm`, eps $10^{-6}$; `head`, an
# `nn.Linear` from the width to the classes.
#
# `model(images)`:
#
# 1. Embed: (B, C, h, w) → (B, T + 1, D).
# 2. All blocks, one after the other: (B, T + 1, D).
# 3. The last norm, then take CLS alone: (B, D).
# 4. The head: class scores (B, classes). No softmax: the loss below brings its own.
#
# **By hand.** The lecture's model is the default: 147,648 + 192 + 37,824 for `embed`, 444,864 for each of 12 blocks,
# 384 for the norm and 192 · 1000 + 1000 = 193,000 for the head. In all 5,717,416 parameters.
#
# **What is tested.** That count; names and shapes for other sizes. The class scores are those of torchvision's
# `VisionTransformer` with the same weights, one image alone and several. (Its head starts with zeros. An untouched one
# would agree with any model whose head is zero, so the test draws all weights, those of the head, too.) Another number
# of channels works. Gradients reach all parameters.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "ViT", "schema_version": 3}
class ViT(nn.Module):
    """A vision transformer that reads CLS; the defaults are the lecture's model.

    Args:
        image, patch: sides of image and patch, in pixels.
        channels: of the image.
        width: numbers in a token.
        heads: of each attention.
        blocks: how many.
        hidden: width of the MLPs between their two layers.
        classes: how many class scores.
    """

    def __init__(
        self,
        image: int = 224,
        patch: int = 16,
        channels: int = 3,
        width: int = 192,
        heads: int = 3,
        blocks: int = 12,
        hidden: int = 768,
        classes: int = 1000,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.embed = Embed(image, patch, channels, width)
        self.blocks = nn.ModuleList(EncoderBlock(width, heads, hidden) for _ in range(blocks))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)
        ### END SOLUTION

    def forward(self, images: Tensor) -> Tensor:
        """From images (B, C, h, w) to class scores (B, classes)."""
        ### BEGIN SOLUTION
        x = self.embed(images)  # (B, T + 1, D)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])  # (B, classes)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: too few parameters</summary>
#
# Modules in a plain list are not registered. And `[EncoderBlock(...)] * blocks` is one block, named many times.
# </details>
#
# <details><summary>Hint 2: all names fit, the class scores do not</summary>
#
# Go through the four steps. Which row does the head read? Is there a norm between the last block and the head? Does
# anything follow the head?
# </details>


# %% uses=["Embed", "EncoderBlock"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_ViT", "schema_version": 3}
from torchvision.models import vision_transformer as library


@check.probe
def named(sizes):
    """Name and shape of each trainable parameter."""
    return {name: tuple(p.shape) for name, p in ViT(**sizes).named_parameters() if p.requires_grad}


@check.probe
def observe(sizes, weights, images):
    model = ViT(**sizes).eval()
    with torch.no_grad():
        for name, own in model.named_parameters():
            own.copy_(weights[name])
        return model(images), images


@check.probe
def gradients(sizes, images):
    """Of each parameter, the size of its gradient, or None."""
    torch.manual_seed(0)
    model = ViT(**sizes)
    with torch.no_grad():
        for own in model.parameters():
            own.add_(0.1 * torch.randn_like(own))
    F.cross_entropy(model(images), torch.zeros(len(images)).long()).backward()
    return {name: None if p.grad is None else float(p.grad.abs().sum()) for name, p in model.named_parameters()}


def expected_names(image, patch, channels, width, heads, blocks, hidden, classes):
    square, one = (width, width), (width,)
    block = {"norm1.weight": one, "norm1.bias": one, "attention.in_proj_weight": (3 * width, width)}
    block |= {"attention.in_proj_bias": (3 * width,), "attention.out_proj.weight": square}
    block |= {"attention.out_proj.bias": one, "norm2.weight": one, "norm2.bias": one}
    block |= {"mlp.0.weight": (hidden, width), "mlp.0.bias": (hidden,)}
    block |= {"mlp.2.weight": (width, hidden), "mlp.2.bias": one}
    names = {"embed.cls": (1, 1, width), "embed.position": (1, (image // patch) ** 2 + 1, width)}
    names |= {"embed.project.weight": (width, channels * patch**2), "embed.project.bias": one}
    names |= {f"blocks.{i}.{name}": shape for i in range(blocks) for name, shape in block.items()}
    return names | {"norm.weight": one, "norm.bias": one, "head.weight": (classes, width), "head.bias": (classes,)}


def same_names(sizes):
    found, right = named(sizes), expected_names(**sizes)
    blocks = {int(name.split(".")[1]) for name in found if name.startswith("blocks.")}
    for name, shape in right.items():
        check.that(name in found, f"the model has a trainable parameter {name}; yours has {len(found)}, not this", missing(
            name, found, blocks, sizes
        ))  # fmt: skip
        part = "mlp" if "mlp" in name else name.split(".")[0]
        likely = {
            "embed": "an argument does not reach Embed: image, patch, channels, width",
            "mlp": "hidden does not reach the blocks",
            "head": "classes does not reach the head",
        }.get(part, "two sizes are exchanged")
        check.that(found[name] == shape, f"{name} has shape {shape}; yours has {found[name]}", likely)
    more = ", ".join(set(found) - set(right))
    check.that(not more, f"the model has no other parameters than the card's; yours has {more}")


def missing(name, found, blocks, sizes):
    """Why a parameter is missing."""
    if name.startswith("blocks.") and not blocks:
        return "the blocks sit in a plain list, where training does not find them, or have another name"
    if name.startswith("blocks.") and len(blocks) == 1:
        return "one block stands in the list many times; each has weights of its own"
    if name.startswith("blocks.") and len(blocks) == sizes["heads"]:
        return "heads and blocks are exchanged"
    if name.startswith("blocks.") and len(blocks) < sizes["blocks"]:
        return f"there are {len(blocks)} blocks, not {sizes['blocks']}"
    if name.replace("bias", "weight") in found:
        return "this layer has no bias"
    return "it has another name, or the head is more than one nn.Linear"


THEIRS = [("embed.cls", "class_token"), ("embed.position", "encoder.pos_embedding"), ("embed.project", "conv_proj")]
THEIRS += [("blocks.", "encoder.layers.encoder_layer_"), ("norm1", "ln_1"), ("norm2", "ln_2"), ("mlp.2", "mlp.3")]
THEIRS += [("attention", "self_attention"), ("head.", "heads.head.")]


def torchvision_model(sizes, weights):
    """The library's model with these weights: the layer of the patches becomes a convolution again."""
    model = library.VisionTransformer(
        *(sizes["image"], sizes["patch"], sizes["blocks"], sizes["heads"], sizes["width"], sizes["hidden"]),
        num_classes=sizes["classes"],
    )
    given = {}
    for name, value in weights.items():
        theirs = "encoder.ln" + name[4:] if name.startswith("norm.") else name
        for mine, other in THEIRS:
            theirs = theirs.replace(mine, other)
        given[theirs] = value.reshape(model.state_dict()[theirs].shape)
    model.load_state_dict(given)
    return model.eval()


def drawn(sizes, draw):
    """All weights, wide enough that each matters; those of the norms are around 1."""
    names = expected_names(**sizes)
    values = zip(names, draw(*names.values()), strict=True)
    norms = ("norm.weight", "norm1.weight", "norm2.weight")
    return {name: 1 + 0.3 * value if name.endswith(norms) else 0.4 * value for name, value in values}


def tiny(weights):
    """The same, but the rows stay so small that the eps of the last norm counts."""
    parts = ("embed.", "out_proj", "mlp.2")
    return {name: 1e-3 * value if any(part in name for part in parts) else value for name, value in weights.items()}


def mistakes(model, images):
    """What well-known mistakes make of the images: the library's model with one part changed."""

    def read(rows):
        other = copy.deepcopy(model)
        other.encoder.register_forward_hook(lambda part, given, out: rows(out))
        return other(images)

    def without(name, value):
        other = copy.deepcopy(model)
        setattr(other.encoder, name, value)
        return other(images)

    def eps():
        other = copy.deepcopy(model)
        other.encoder.ln.eps = 1e-5
        return other(images)

    def cls_alone():
        other = copy.deepcopy(model)
        other.encoder.layers.register_forward_pre_hook(lambda part, given: (given[0][:, :1],))
        return other(images)

    def one_head():
        other = copy.deepcopy(model)
        for layer in other.encoder.layers:
            layer.self_attention.num_heads, layer.self_attention.head_dim = 1, layer.self_attention.embed_dim
        return other(images)

    layers, right = model.encoder.layers, model(images)
    return {
        "the head reads the mean of all rows; this model reads CLS": read(lambda out: out.mean(1, keepdim=True)),
        "the head reads the mean of the patches; this model reads CLS": read(
            lambda out: out[:, 1:].mean(1, keepdim=True)
        ),
        "the head reads the last row; CLS is the first": read(lambda out: out[:, -1:]),
        "the last norm is missing": without("ln", nn.Identity()),
        "only the last block's result counts: each block got the rows of the embedding": without("layers", layers[-1:]),
        "only the first block is used": without("layers", layers[:1]),
        "the blocks run in reverse": without("layers", nn.Sequential(*reversed(layers))),
        "the last block is left out": without("layers", layers[:-1]),
        "no block is used": without("layers", nn.Identity()),
        "the first block runs each time": without("layers", nn.Sequential(*[layers[0]] * len(layers))),
        "a softmax follows the head; the loss brings its own": right.softmax(-1),
        "a log-softmax follows the head; the loss brings its own": right.log_softmax(-1),
        "an activation follows the head": right.relu(),
        "the norm runs twice": read(model.encoder.ln),
        "CLS goes through the blocks alone and never meets the patches": cls_alone(),
        "heads does not reach the blocks": one_head(),
        "the eps of the last norm is 1e-5; here it is 1e-6": eps(),
    }


def compare(sizes, weights, images, what):
    model = torchvision_model(sizes, weights)
    got, after = observe(sizes, weights, images)
    rows = (sizes["image"] // sizes["patch"]) ** 2 + 1
    likely = {
        (len(images), rows, sizes["classes"]): "the head answers for each row; take CLS alone",
        (rows, sizes["classes"]): "x[0] is the first image; CLS of all images is x[:, 0]",
        (sizes["classes"],): "squeeze takes the batch away when it has one image",
    }.get(tuple(getattr(got, "shape", ())), "one score for each class and image")
    check.shape(got, (len(images), sizes["classes"]), what, likely=likely)
    with torch.no_grad():
        right, likely = model(images), mistakes(model, images)
    other = "the order of two steps, or a step too many"
    check.close(got, right, what, rtol=1e-3, atol=1e-4, likely=likely, otherwise=other)
    check.untouched([after], [images], "the model leaves the images as they were")


lecture = {"image": 224, "patch": 16, "channels": 3, "width": 192, "heads": 3, "blocks": 12, "hidden": 768}
lecture["classes"] = 1000
same_names(lecture)
numbers = {name: math.prod(shape) for name, shape in named({}).items()}
count = sum(numbers.values())
likely = "the defaults of the stub, a block too many or too few, or parameters that are not registered"
check.that(count == 5_717_416, f"the lecture's model has 5,717,416 parameters; yours has {count:,}", likely)
for part, right in {
    "embed.project": 147_648,
    "embed.position": 37_824,
    "blocks.0.": 444_864,
    "blocks.11.": 444_864,
    "norm.": 384,
    "head.": 193_000,
}.items():
    found = sum(number for name, number in numbers.items() if name.startswith(part))
    check.equal(found, right, f"the number of parameters of {part} in the lecture's model")
small = {"image": 6, "patch": 2, "channels": 3, "width": 8, "heads": 2, "blocks": 3, "hidden": 5, "classes": 4}
same_names(small)
weights, images = drawn(small, check.normal), check.normal((3, 3, 6, 6), seed=1)
compare(small, weights, images, "the table of class scores of three images")
compare(small, weights, images[:1], "the table of class scores of one image")
compare(small, tiny(weights), images, "the table of class scores when all rows are tiny")
one_channel = small | {"channels": 1, "blocks": 1, "image": 4}
same_names(one_channel)
got, _ = observe(one_channel, drawn(one_channel, check.normal), check.normal((2, 1, 4, 4)))
check.shape(got, (2, 4), "the table of class scores of images with one channel")
for name, size in gradients(small, images).items():
    likely = "this part is not used, or .detach(), .data, no_grad"
    check.that(size is not None and size > 0, f"a gradient reaches {name}", likely)

### BEGIN HIDDEN TESTS
for image, patch, width, heads, blocks, hidden, classes, many in [(8, 4, 6, 3, 2, 9, 5, 2), (9, 3, 12, 4, 4, 7, 3, 4)]:
    sizes = {"image": image, "patch": patch, "channels": 3, "width": width, "heads": heads, "blocks": blocks}
    sizes |= {"hidden": hidden, "classes": classes}
    same_names(sizes)
    weights, images = drawn(sizes, check.hidden), check.hidden((many, 3, image, image))
    compare(sizes, weights, images, "the table of class scores with copied weights")
    compare(sizes, weights, images[:1], "the table of class scores of one image")
    compare(sizes, tiny(weights), images, "the table of class scores when all rows are tiny")
sizes = small | {"channels": 2, "width": 6}
same_names(sizes)
for name, size in gradients(sizes, check.hidden((2, 2, 6, 6))).items():
    check.that(size is not None and size > 0, f"a gradient reaches {name}", "this part is not used, or .detach()")
### END HIDDEN TESTS

# %% [markdown]
# What this buys you: weights that somebody else has trained. This cell takes any `VisionTransformer` of torchvision and
# renames its weights. Here they are random, for a trained file needs a network. With one,
# `vit_b_16(weights="IMAGENET1K_V1")` is a ViT-Base that knows the thousand classes of ImageNet.

# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "renamed", "schema_version": 3}
RENAMED = {"class_token": "embed.cls", "encoder.pos_embedding": "embed.position", "heads.head.": "head."}
RENAMED |= {"encoder.layers.encoder_layer_": "blocks.", "encoder.ln.": "norm.", "ln_1": "norm1", "ln_2": "norm2"}
RENAMED |= {"self_attention": "attention", "mlp.3": "mlp.2"}


def renamed(name: str) -> str:
    """torchvision's name of a weight in our words."""
    for theirs, ours in RENAMED.items():
        name = name.replace(theirs, ours)
    return name


# %%
from torchvision.models import VisionTransformer

theirs = VisionTransformer(32, 8, 2, 3, 48, 96, num_classes=10).eval()
nn.init.normal_(theirs.heads.head.weight)  # it starts with zeros
weights = {renamed(name): value for name, value in theirs.state_dict().items() if "conv_proj" not in name}
project = linear_from_conv(theirs.conv_proj)
weights |= {f"embed.project.{name}": value for name, value in project.state_dict().items()}
ours = ViT(32, 8, 3, 48, 3, 2, 96, 10).eval()
print(ours.load_state_dict(weights))
with torch.no_grad():
    images = torch.randn(4, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    print(f"largest difference of the class scores: {(ours(images) - theirs(images)).abs().max():.1e}")

# %% [markdown]
# ## Exercise 5 · `replace_head`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 5 | nothing: the test brings a model of its own | all of torch |
#
# **Why.** A trained encoder has learned to see. For new labels you need a new head, and perhaps nothing else. The few
# labelled pictures that you have then train few numbers; the encoder is *frozen*. Two of the thousand old outputs will
# not do: they answer another question.
#
# **Steps.** `replace_head(model, classes, last_block=False)` changes the model in place. The model has a head
# `model.head`, an `nn.Linear`, and blocks `model.blocks`, as your `ViT` has.
#
# 1. Freeze all parameters: `requires_grad` is False.
# 2. Put a new `nn.Linear`, with bias, in the place of the head: from as many inputs as the old one to `classes`. Its
#    parameters are trainable.
# 3. With `last_block=True`, make the last block trainable as well. No other part is, nor the last norm.
# 4. Return how many single numbers are trainable now, as an `int`.
#
# **By hand.** A width of 192 and two classes: 2 · 192 weights and 2 biases, 386 numbers. With the last block
# it is more: all numbers of a block come to these 386.
#
# **What is tested.** These counts and others; which parameters are trainable, by name; the new head's shape, and that
# it is new; no other number changes; a model that was frozen before, or whose other block was left trainable, ends the
# same; called a second time it counts the same.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "replace_head", "schema_version": 3}
def replace_head(model: nn.Module, classes: int, last_block: bool = False) -> int:
    """Give a trained model a new head, and freeze the rest of it.

    Args:
        model: has `head`, an nn.Linear, and `blocks`; changed in place.
        classes: outputs of the new head.
        last_block: train the last of the blocks, too.

    Returns:
        How many numbers are trainable now.
    """
    ### BEGIN SOLUTION
    model.requires_grad_(False)
    model.head = nn.Linear(model.head.in_features, classes)
    if last_block:
        model.blocks[-1].requires_grad_(True)
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint: nothing is trainable, or too much</summary>
#
# A new layer is trainable when it is made. Freeze first, then make it. `requires_grad_(...)` of a module does its whole
# inside.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_replace_head", "schema_version": 3}
@check.probe
def observe(width, hidden, blocks, old, classes, last_block=None, trained=None, twice=False):
    """A model as a ViT is built, without its forward: the count, the trainable names, the head, old and new values."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Linear(5, width)
            parts = lambda: nn.Sequential(nn.Linear(width, hidden), nn.Linear(hidden, width), nn.LayerNorm(width))  # noqa: E731
            self.blocks = nn.ModuleList([parts() for _ in range(blocks)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, old)

    torch.manual_seed(0)
    model = Model()
    if trained is not None:
        for name, own in model.named_parameters():
            own.requires_grad_(name.startswith(trained) if trained else False)
    before = {name: own.detach().clone() for name, own in model.named_parameters()}
    options = () if last_block is None else (last_block,)
    if twice:
        replace_head(model, classes + 1, not last_block)
    count = replace_head(model, classes, *options)
    count = count if count is None or isinstance(count, (int, float, Tensor)) else type(count).__name__
    head = [type(model.head).__name__, model.head.in_features, model.head.out_features, model.head.bias is not None]
    free = [name for name, own in model.named_parameters() if own.requires_grad]
    return count, free, head, before, {name: own.detach() for name, own in model.named_parameters()}


def block_size(width, hidden):
    return 2 * width * hidden + hidden + width + 2 * width


def compare(width, hidden, blocks, old, classes, last_block=None, trained=None, twice=False):
    """Everything that must hold for one model."""
    case = f"{classes} classes, width {width}" + (", last_block=True" if last_block else "")
    likely = "the new head comes behind the old one; it must take its place"
    with check.instead_of(["object has no attribute 'in_features'"], "model.head is an nn.Linear", likely):
        count, free, head, before, after = observe(width, hidden, blocks, old, classes, last_block, trained, twice)
    check.that(count is not None, "replace_head returns a number", likely="a `return` is missing")
    kept = min(old, classes)
    same = head[1:3] == [width, old] and old != classes
    likely = "the head of a copy was replaced; change the model itself" if same else "its width is that of the old head"
    if head[1] == old and old != width:
        likely = "as many inputs as the old head had inputs, not outputs"
    check.equal(head[1:3], [width, classes], f"inputs and outputs of the new head for {case}", likely=likely)
    check.that(head[3], "the new head has a bias", likely="bias=False leaves it out")
    likely = "outputs of the old head were kept" if old != classes else "a head with as many classes was kept"
    new = twice or not torch.equal(before["head.weight"][:kept], after["head.weight"][:kept])
    check.that(new, "the weights of the new head are new", likely=likely + "; they answer another question")
    last = [name for name in before if name.startswith(f"blocks.{blocks - 1}.")]
    right = (last if last_block else []) + ["head.weight", "head.bias"]
    missing, more = [name for name in right if name not in free], [name for name in free if name not in right]
    kinds = {name.split(".")[0] for name in more}
    if missing and missing[0].startswith("head"):
        likely = "the head was frozen with the rest: freeze first, then make the new head"
    elif missing and "blocks" in kinds:
        likely = "another block than the last one was made trainable"
    elif missing and trained == "":
        likely = "a block that was frozen before stays so; requires_grad_(True)"
    elif missing:
        likely = "last_block=True is ignored"
    elif kinds == {"embed", "norm"}:
        likely = "only the blocks were frozen; embedding and last norm are frozen, too"
    elif kinds == {"norm"}:
        likely = "the last norm stays frozen; it belongs to no block"
    elif kinds == {"blocks"} and not last_block and not trained:
        likely = "last_block=False leaves the last block frozen"
    elif kinds == {"blocks"} and not trained:
        likely = "all blocks were made trainable; only the last one is asked for"
    elif trained:
        likely = "a part that was trainable before was left so; freeze all parameters first"
    else:
        likely = "nothing was frozen; the attribute is spelt requires_grad"
    named = ", ".join(free) or "none"
    check.that(not missing and not more, f"for {case} these are trainable: {', '.join(right)}; yours: {named}", likely)
    number = width * classes + classes + (block_size(width, hidden) if last_block else 0)
    likely = {
        len(free): "that is the number of tensors; count the numbers in them: p.numel()",
        width * classes: "the biases of the head are missing",
        sum(value.numel() for value in after.values()): "frozen parameters are counted, too",
        sum(value.numel() for value in after.values()) - number: "the frozen ones are counted",
        width * classes + classes: "the last block is not counted",
    }.get(count, "")
    check.that(type(count) is int, f"the count for {case} is an int", likely="a tensor, or a float")
    check.equal(count, number, f"the count of trainable numbers for {case}", likely=likely)
    for name, value in before.items():
        if not name.startswith("head"):
            same = name in after and torch.equal(after[name], value)
            check.that(same, f"{name} keeps its numbers", likely="the encoder was made or drawn anew")


compare(192, 768, 1, 1000, 2)
check.equal(observe(192, 768, 1, 1000, 2)[0], 386, "the count for the lecture's width and two classes")
compare(192, 3, 2, 10, 2, False)
compare(6, 4, 3, 5, 3, True)
compare(5, 7, 2, 4, 4)
compare(6, 4, 3, 5, 3, True, trained="")  # all frozen before
compare(6, 4, 3, 5, 3, False, trained="")
compare(6, 4, 3, 5, 3, False, trained="blocks.1")
compare(6, 4, 3, 5, 3, True, trained="blocks.0")
compare(6, 4, 3, 5, 3, False, twice=True)
compare(6, 4, 3, 5, 3, True, twice=True)

### BEGIN HIDDEN TESTS
for sizes in [(9, 5, 4, 8, 6), (7, 3, 1, 3, 3), (4, 6, 2, 2, 11)]:
    for last_block in (None, False, True):
        for trained in (None, "", "embed", "norm"):
            compare(*sizes, last_block, trained)
    compare(*sizes, True, None, True)
    compare(*sizes, False, None, True)
### END HIDDEN TESTS

# %% [markdown] lint={"number .9573": "the lecture's photograph and model", "number .8300": "the lecture's photograph and model", "number .1273": "the lecture's photograph and model"}
# ## Exercise 6 · `occlusion_map`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 13 | nothing: the test brings models of its own | all of torch |
#
# **Why.** Which part of the picture does the answer depend on? Do not ask the model; try it. Cover a part with grey, let
# the model look again, and measure how far the probability of the label falls. Pixels were normalised to
# (value − .5) / .5, so mid-grey is 0.
#
# **Steps.** `image` is (C, h, w), normalised. The model takes batches (B, C, h, w) to class scores (B, classes).
#
# 1. The probability of `label` for the image as it is: a softmax over the class scores.
# 2. Lay a grid of squares over the image, `cover` pixels wide. For each square: take *the original* image, set this
#    square to 0 in all channels, and ask again.
# 3. The map (h / cover, w / cover) has for each square the probability before minus the probability under this cover.
#    Above 0: the cover hurt. Below 0: it helped.
#
# The model must answer as it does in use: put it in `eval` mode, where dropout is off. Afterwards it is in the mode that
# it came in. The map carries no gradient. A `cover` below 1, or one that does not divide h and w, is a **`ValueError`**.
#
# **By hand.** Two classes. The score of class 0 is ln 3 · (2a − d), where a is a pixel of the top-left square and d one
# of the bottom-right square; that of class 1 is 0. Both pixels are 1, so the score is ln 3, and the probability of class 0 is 3 / 4. Cover
# the top left: score −ln 3, probability 1 / 4, a drop of .5. Cover the bottom right: score 2 ln 3, probability 9 / 10,
# a drop of −.15. The lecture's dog: .9573 before, .8300 with the top left covered. A drop of .1273.
#
# **What is tested.** This example, for both classes; images wider than high and higher than wide, several channels;
# covers from one pixel up to the whole image; a model with dropout, in training mode and in eval mode, and its mode
# afterwards; its weights and the image are not changed; no gradient; the errors.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "occlusion_map", "schema_version": 3}
def occlusion_map(model: nn.Module, image: Tensor, cover: int, label: int) -> Tensor:
    """How far the probability of a label falls when a part of the image is grey.

    Args:
        model: from images (B, C, h, w) to class scores (B, classes).
        image: (C, h, w), normalised so that grey is 0.
        cover: side of the grey square, in pixels.
        label: the class whose probability is measured.

    Returns:
        (h / cover, w / cover), the probability before minus the one with this square covered.

    Raises:
        ValueError: the cover is below 1, or does not divide height and width.
    """
    ### BEGIN SOLUTION
    height, width = image.shape[1:]
    if cover < 1 or height % cover or width % cover:
        raise ValueError(f"covers of {cover} pixels do not fill an image of {height} x {width}")
    covered = [image]
    for top in range(0, height, cover):
        for left in range(0, width, cover):
            covered.append(image.clone())
            covered[-1][:, top : top + cover, left : left + cover] = 0
    mode = model.training
    with torch.no_grad():
        probabilities = model.eval()(torch.stack(covered)).softmax(-1)[:, label]  # (1 + squares,)
    model.train(mode)
    return (probabilities[0] - probabilities[1:]).reshape(height // cover, width // cover)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the covers add up</summary>
#
# A square stays grey once you have written 0 into the image. `image.clone()` gives a fresh copy for each test; it also
# keeps the caller's image as it was.
# </details>
#
# <details><summary>Hint 2: the model's mode</summary>
#
# `model.training` says in which mode a model is, `model.train(mode)` sets it.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_occlusion_map", "schema_version": 3}
@check.probe
def observe(image, cover, label, weight, training=False):
    """A model whose class scores are weighted sums of the pixels, with dropout on the pixels."""
    linear = nn.Linear(weight.shape[1], len(weight), bias=False)
    model = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), linear).train(training)
    with torch.no_grad():
        linear.weight.copy_(weight)
    torch.manual_seed(0)
    found = occlusion_map(model, image, cover, label)
    held = isinstance(found, Tensor) and found.requires_grad
    modes = [part.training for part in model.modules()]
    return found, held, modes, image, linear.weight.detach(), linear.weight.grad is not None


def compare(image, cover, label, weight, right, what, likely=None, training=False):
    found, held, modes, after, own, graded = observe(image, cover, label, weight, training)
    shape = tuple(right.shape)
    turned = shape[0] != shape[1] and tuple(getattr(found, "shape", ())) == shape[::-1]
    likely_shape = "rows and columns of the map are exchanged" if turned else "a grid: (h / cover, w / cover)"
    check.shape(found, shape, what, likely=likely_shape)
    check.dtype(found, torch.float32, what)
    check.untouched([after], [image], "occlusion_map leaves the image as it was", likely="covers are written into it")
    other = "dropout was on: the model belongs in eval mode" if training else ""
    check.close(found, right, what, rtol=1e-3, atol=1e-5, likely=likely or {}, otherwise=other)
    check.untouched([own], [weight], "occlusion_map leaves the model's weights as they were")
    likely = "it was left in " + ("eval mode" if training else "training mode") + "; model.train(mode) brings it back"
    check.that(set(modes) == {training}, "the model is in the mode in which it came", likely)
    likely = "the model ran without torch.no_grad() or torch.inference_mode()"
    check.that(not held, "the map carries no gradient", likely)
    check.that(not graded, "no gradient was left in the model", "something ran backward")


# By hand. All other pixels are .5 and weigh nothing.
image = torch.full((1, 4, 4), 0.5)
image[0, 1, 1] = image[0, 3, 3] = 1
weight = torch.zeros(2, 16)
weight[0, 5], weight[0, 15] = 2 * math.log(3), -math.log(3)
right = torch.tensor([[0.5, 0], [0, -0.15]])
likely = {
    "the sign is turned: probability before minus probability after": -right,
    "class scores were compared; take a softmax first": torch.tensor([[2 * math.log(3), 0], [0, -math.log(3)]]),
    "these are the probabilities under the covers; subtract them from the one before": torch.tensor(
        [[0.25, 0.75], [0.75, 0.9]]
    ),
    "the covers add up: each test starts from the original image": torch.tensor([[0.5, 0.5], [0.5, 0.25]]),
    "covered with -1, which is black; grey is 0 after normalisation": torch.tensor([[0.7143, 0], [0, -0.2143]]),
    "covered with .5; after normalisation grey is 0": torch.tensor([[0.25, 0], [0, -0.0886]]),
    "the drop was divided by the probability before": right / 0.75,
    "the absolute drop; below 0 means that the cover helped": right.abs(),
    "log-probabilities were compared": torch.tensor([[math.log(3), 0], [0, math.log(0.75 / 0.9)]]),
    "all but the square was covered": torch.tensor([[-0.15, 0.25], [0.25, 0.5]]),
    "negative drops were set to 0": right.relu(),
    "the cover slides pixel by pixel; lay a grid of squares": torch.full((2, 2), 0.5),
    "the largest probability was measured, not that of the label": torch.tensor([[0, 0], [0, -0.15]]),
    "covered with the mean of the image; grey is 0": torch.tensor([[0.2157, 0], [0, -0.0791]]),
    "the softmax runs over the images; it must run over the classes": torch.zeros(2, 2),
}
compare(image, 2, 0, weight, right, "the map of class 0", likely)
likely = {"the label is ignored: class 0, which is the most probable here, was measured": right}
compare(image, 2, 1, weight, -right, "the map of class 1", likely)
compare(image, 2, 0, weight, right, "the map of class 0 by a model in training mode", {}, True)
fine = torch.zeros(4, 4)
fine[1, 1], fine[3, 3] = 0.5, -0.15
compare(image, 1, 0, weight, fine, "the map with covers of one pixel")
whole = torch.tensor([[0.25]])
compare(image, 4, 0, weight, whole, "the map with one cover over all", {}, True)

# Wider than high. Of 2 x 3 squares two hold a clue: (0, 2) in the second channel, (1, 0) in the first.
wide = torch.full((2, 4, 6), 0.5)
wide[1, 1, 5] = wide[0, 3, 0] = 1
weight = torch.zeros(3, 48)
weight[2, 24 + 11] = weight[2, 18] = math.log(2)
drop = 2 / 3 - 1 / 2
right = torch.tensor([[0, 0, drop], [drop, 0, 0]])
turned = {
    "only the first channel is covered": torch.tensor([[0, 0, 0], [drop, 0, 0]]),
    "rows and columns are exchanged where the square is covered": torch.tensor([[0, drop, 0], [0, 0, 0]]),
}
compare(wide, 2, 2, weight, right, "the map of an image of 4 x 6 pixels", turned)
compare(wide.mT, 2, 2, weight.reshape(3, 2, 4, 6).mT.flatten(1), right.mT, "the map of an image of 6 x 4 pixels", {})
for size, cover in [((1, 6, 4), 4), ((1, 4, 6), 4), ((1, 4, 4), 0), ((1, 4, 4), -2), ((1, 4, 4), 8)]:
    pixels = torch.zeros(size)
    rule = f"{cover} does not fit {size[1:]}" + ("; test `cover < 1` before dividing" if cover < 1 else "")
    check.raises("ValueError", observe, pixels, cover, 0, torch.zeros(2, pixels.numel()), rule=rule)

### BEGIN HIDDEN TESTS
for channels, height, width, cover, classes in [(3, 6, 8, 2, 4), (1, 9, 6, 3, 3), (2, 5, 4, 1, 5), (2, 6, 6, 6, 2)]:
    image, weight = check.hidden((channels, height, width), (classes, channels * height * width))
    weight = weight / weight.shape[1] ** 0.5
    rows, columns = height // cover, width // cover
    squares = torch.eye(rows * columns).reshape(-1, rows, columns)
    mask = 1 - squares.repeat_interleave(cover, 1).repeat_interleave(cover, 2)  # (squares, h, w)
    before, after = (F.softmax(x.flatten(1) @ weight.mT, -1) for x in (image[None], image * mask[:, None]))
    drops = (before - after).reshape(rows, columns, classes)
    for label in range(classes):
        for training in (False, True):
            compare(image, cover, label, weight, drops[..., label], f"the map of class {label}", {}, training)
for size, cover in [((2, 6, 9), 2), ((2, 9, 6), 2), ((1, 3, 3), 0)]:
    weight = torch.zeros(2, math.prod(size))
    check.raises(
        "ValueError",
        observe,
        torch.zeros(size),
        cover,
        0,
        weight,
        rule="the cover does not fit" + "; test `cover < 1` before dividing" * (cover < 1),
    )
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7 · `vit_cost`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 10 | 4 | nothing | all of Python |
#
# **Why.** Smaller patches see more detail. Each query compares all rows, so the price grows with the square of their
# number. Know it before you start.
#
# **Steps.** For one square image of `image` × `image` pixels:
#
# 1. The rows that enter a block: one for each patch, and CLS.
# 2. The scores: each head of each block has one for each query and each key.
# 3. Return both as whole numbers, `(tokens, scores)`. If a number is below 1, or the patch does not divide the image,
#    raise **`ValueError`**.
#
# **By hand.** 224 pixels, patches of 16: 14 · 14 + 1 = 197 rows, 197² = 38,809 scores in a head, and with 3 heads in 12
# blocks 36 · 38,809 = 1,397,124. Patches of 32: 50² = 2,500 in a head. Patches of 8: 785² = 616,225.
#
# **What is tested.** Exact numbers, as `int`; the default of one head and one block; the errors.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "vit_cost", "schema_version": 3}
def vit_cost(image: int, patch: int, heads: int = 1, blocks: int = 1) -> tuple[int, int]:
    """Rows and scores of a vision transformer, for one square image.

    Args:
        image, patch: sides of image and patch, in pixels.
        heads: of each block.
        blocks: how many.

    Returns:
        tokens: rows that enter a block, CLS included; scores: pairs of a query and a key, over all heads and blocks.

    Raises:
        ValueError: a number is below 1, or the patch does not divide the image.
    """
    ### BEGIN SOLUTION
    if min(image, patch, heads, blocks) < 1 or image % patch:
        raise ValueError(f"patches of {patch} in {image} pixels, {heads} heads, {blocks} blocks: this does not fit")
    tokens = (image // patch) ** 2 + 1
    return tokens, blocks * heads * tokens**2
    ### END SOLUTION


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_vit_cost", "schema_version": 3}
@check.probe
def observe(*numbers):
    return vit_cost(*numbers)


@check.probe
def by_name(image, patch, rest):
    return vit_cost(image, patch, **rest)


def compare(found, image, patch, heads=1, blocks=1):
    two = isinstance(found, (tuple, list)) and len(found) == 2
    check.that(two, "vit_cost returns two numbers, tokens and scores", likely="only one of them, or no return")
    case = f"{image} pixels in patches of {patch}, {heads} heads, {blocks} blocks"
    for number, name in zip(found, ("tokens", "scores"), strict=True):
        check.that(type(number) is int, f"the number of {name} is an int", likely="a float, from / or math")
    side, tokens = image // patch, (image // patch) ** 2 + 1
    likely = {
        tokens - 1: "CLS is a row, too",
        side + 1: "patches lie in rows and columns: the square of the quotient",
        side: "patches lie in rows and columns, and CLS is a row, too",
        image**2 + 1: "each patch is a row, not each pixel",
        (side + 1) ** 2: "CLS is one row more, not one row and column of patches",
    }
    check.equal(found[0], tokens, f"the number of tokens for {case}", likely=likely.get(found[0], ""))
    wrong = {
        (tokens - 1) ** 2 * heads * blocks: "CLS asks and offers, too",
        tokens**2: "heads and blocks are missing",
        tokens**2 * heads: "the blocks are missing",
        tokens**2 * blocks: "the heads are missing",
        tokens * heads * blocks: "one score for each pair of rows, not for each row",
        tokens**2 * (heads + blocks): "heads and blocks are added; every block has all heads",
        (tokens * heads * blocks) ** 2: "heads and blocks stand in the square",
        tokens * (tokens - 1) * heads * blocks: "a row may look at itself, too",
        tokens * (tokens + 1) // 2 * heads * blocks: "that i asks j and that j asks i are two scores",
        tokens
        * (tokens - 1)
        // 2
        * heads
        * blocks: "that i asks j and that j asks i are two scores, and i asks i, too",
    }
    right = tokens**2 * heads * blocks
    check.equal(found[1], right, f"the number of scores for {case}", likely=wrong.get(found[1], ""))


BEFORE = "; test for numbers below 1 before dividing"
compare(observe(224, 16, 3, 12), 224, 16, 3, 12)
check.equal(tuple(observe(224, 16, 3, 12)), (197, 1_397_124), "the lecture's model")
for patch, scores in {32: 2_500, 16: 38_809, 8: 616_225}.items():
    check.equal(observe(224, patch)[1], scores, f"the scores of one head for patches of {patch} pixels")
compare(observe(384, 16, 2, 5), 384, 16, 2, 5)
compare(by_name(12, 4, {"blocks": 7}), 12, 4, 1, 7)
compare(by_name(12, 3, {"heads": 5}), 12, 3, 5, 1)
compare(observe(6, 6, 2, 3), 6, 6, 2, 3)
compare(observe(4_000_000, 2, 3, 5), 4_000_000, 2, 3, 5)
for numbers in [(224, 15), (0, 16), (224, 0), (-32, 16), (32, -16), (32, 16, 0), (32, 16, 2, -1), (8, 16)]:
    check.raises("ValueError", observe, *numbers, rule=f"vit_cost{numbers} has no answer{BEFORE * (min(numbers) < 1)}")

### BEGIN HIDDEN TESTS
for numbers in [(448, 16, 3, 12), (96, 8, 4, 6), (5, 1, 2, 9), (7, 7, 3, 2), (9_000_000, 3, 7, 11)]:
    compare(observe(*numbers), *numbers)
compare(by_name(30, 5, {"blocks": 4}), 30, 5, 1, 4)
compare(by_name(30, 6, {"heads": 4}), 30, 6, 4, 1)
for numbers in [(100, 16), (0, 1), (16, 0), (-4, 2), (16, 4, -1), (16, 4, 1, 0), (3, 6)]:
    check.raises("ValueError", observe, *numbers, rule=f"vit_cost{numbers} has no answer{BEFORE * (min(numbers) < 1)}")
### END HIDDEN TESTS

# %% [markdown]
# What happens to the lecture's model when the patches shrink, or the image grows?

# %%
print("image  patch   tokens        scores")
for image, patch in [(224, 32), (224, 16), (224, 8), (384, 16), (448, 16)]:
    tokens, scores = vit_cost(image, patch, 3, 12)
    print(f"{image:5}{patch:7}{tokens:9,}{scores:14,}")

# %% [markdown]
# **What to see.** Half the patch side gives four times the patches and about sixteen times the scores; twice the image
# side does the same. Exactly sixteen it is not, because CLS does not multiply.

# %% [markdown]
# ## Exercise 8 · `fine_tune`, `confusion_matrix`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 25 | 15 | `ViT`, `replace_head` | all of torch |
#
# **Why.** A model is trained on many filled signs. Your users send *sketches*. The labels are the same, the pictures look
# different, and you have only a few of them with labels. What do you train, and how do you know that it worked?
#
# First the many: this cell trains a small ViT of yours on filled signs. It takes a second or two.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "pretrained", "schema_version": 3}
def pretrain(model: nn.Module, some: signs.Signs, steps: int = 200) -> nn.Module:
    """Teach a model signs, 64 at a time."""
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        batch = torch.randint(len(some.labels), (64,), generator=generator)
        model.zero_grad()
        F.cross_entropy(model(some.images[batch]), some.labels[batch]).backward()
        with torch.no_grad():
            # One step downhill for each weight. All steps have one size, as Adam's first has, and get smaller and smaller.
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= 0.004 * (1 - step / steps) * weight.grad.sign()
    return model


SMALL = {"image": 16, "patch": 4, "channels": 1, "width": 24, "heads": 2, "blocks": 2, "hidden": 48, "classes": 4}
torch.manual_seed(0)
pretrained = pretrain(ViT(**SMALL), signs.pictures(1500, seed=1))

# %%
filled, sketched = signs.pictures(500, seed=2), signs.pictures(500, seed=3, sketched=True)
with torch.no_grad():
    for name, some in {"filled": filled, "sketched": sketched}.items():
        right = (pretrained(some.images).argmax(-1) == some.labels).float().mean()
        print(f"{name:9} signs that it has not seen: right in {right:.1%}")
four = torch.tensor([(sketched.labels == label).nonzero()[0, 0] for label in range(4)])
both = torch.cat([filled.images[:4], sketched.images[four]])
names = [signs.NAMES[label] for label in [*filled.labels[:4].tolist(), 0, 1, 2, 3]]
described(
    signs.show(both, names, "Trained on filled signs, asked about sketches"),
    f"Eight small noisy pictures. Four filled signs: {', '.join(names[:4])}. Four outlines: {', '.join(names[4:])}.",
)

# %% [markdown]
# **What to see.** On filled signs it hardly errs. On sketches it is near chance, which is 25 %: a thin line is not the
# bright surface that it has learned to look for.
#
# **Steps.** `fine_tune(model, images, labels, steps, rate)` trains a model in place:
#
# 1. Each step takes *all* images. Mean cross-entropy of the class scores and the labels: the loss.
# 2. Gradients of this step alone: clear those of the step before.
# 3. Each trainable parameter takes one step of plain gradient descent: minus `rate` times its gradient. The lecture's
#    example: .020 − .1 · .30 = −.010. Frozen parameters keep their numbers.
# 4. Return the list of losses, one `float` for each step, each measured before its step.
#
# `confusion_matrix(labels, said, classes)` counts the answers: (n,) and (n,) → (classes, classes), whole numbers
# (int64). Row i, column j: how often an image of class i was called j. So the right answers stand on the diagonal. If
# labels and answers differ in number, or one of them lies outside 0 … classes − 1, it raises **`ValueError`**.
#
# **By hand.** A head without bias, one input of 1, two classes, weights 0, label 0, rate 1. Both probabilities are ½, the
# loss is ln 2 = .693. The gradient of a class score is its probability, minus 1 for the label: −½ and ½. New weights ½
# and −½, new loss .313. The third is .195. Labels 0 0 1 2 and answers 0 1 1 1: the rows 1 1 0, 0 1 0, 0 1 0.
#
# **What is tested.** These numbers and others; the weights afterwards, of small models with frozen parts; `images` and
# `labels` are not changed. The matrix for several sizes, also with classes that never occur. And your trained `model`
# from the training cells below: on new sketches it must be right in at least **70 %**. Differently written right answers,
# each trained from ten seeds, all stay above 80 %. The test takes the `model` of the training cells: after mending
# something, run them again.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "fine_tune", "schema_version": 3}
def fine_tune(model: nn.Module, images: Tensor, labels: Tensor, steps: int, rate: float) -> list[float]:
    """Train what is trainable in a model, by plain gradient descent on all images at once.

    Args:
        model: from images to class scores (B, classes); changed in place.
        images: (B, ...); labels: (B,) whole numbers.
        steps: how many.
        rate: what a gradient is multiplied by.

    Returns:
        The loss before each step.
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        model.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for own in model.parameters():
                if own.requires_grad:
                    own -= rate * own.grad
    return losses
    ### END SOLUTION


def confusion_matrix(labels: Tensor, said: Tensor, classes: int) -> Tensor:
    """How often images of each class were called what.

    Args:
        labels: (n,) the true classes; said: (n,) the answers, both whole numbers from 0.
        classes: how many there are.

    Returns:
        (classes, classes) counts; rows are true classes, columns answers.

    Raises:
        ValueError: labels and answers differ in number, or a number lies outside 0 to classes - 1.
    """
    ### BEGIN SOLUTION
    both = torch.cat([labels, said])
    if labels.shape != said.shape or ((both < 0) | (both >= classes)).any():
        raise ValueError(f"{len(labels)} labels and {len(said)} answers must be equal in number, and below {classes}")
    return torch.bincount(labels * classes + said, minlength=classes**2).reshape(classes, classes)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the losses are right at first, then wrong</summary>
#
# `backward` adds to the gradients that are there. Somebody must clear them in each step.
# </details>
#
# <details><summary>Hint 2: an error about None, or a leaf</summary>
#
# Frozen parameters have no gradient: skip them. And a parameter may be written into only under `torch.no_grad()`.
# `torch.optim.SGD` does both.
# </details>
#
# <details><summary>Hint 3: counting without a loop</summary>
#
# A loop over the n pairs is fine. With indices, beware: `counts[labels, said] += 1` counts each pair of indices once
# only, however often it occurs.
# </details>

# %% [markdown]
# ### Train it
#
# The check of this exercise comes after the training cells, because it tests the trained model, too.
#
# Now adapt the model in two ways, with 200 sketches to learn from. Which way is better is decided on the *validation*
# sketches. The *test* sketches are looked at once, at the very end. First with a new head alone; this takes a second
# or two.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "adapt", "schema_version": 3}
def share_right(model: nn.Module, some: signs.Signs) -> float:
    """In how many of the pictures the model is right."""
    with torch.no_grad():
        return (model(some.images).argmax(-1) == some.labels).float().mean().item()


def adapt(pretrained: nn.Module, last_block: bool) -> tuple[nn.Module, float, list[float]]:
    """An adapted copy of the model, its share of right answers on validation sketches, and its losses."""
    train, validation = (signs.pictures(200, seed, sketched=True) for seed in (4, 5))
    model = copy.deepcopy(pretrained)
    count = replace_head(model, 4, last_block)
    losses = fine_tune(model, train.images, train.labels, steps=400, rate=0.3)
    share = share_right(model, validation)
    print(f"{count:,} trainable numbers, right in {share:.1%} of the validation sketches")
    return model, share, losses


torch.manual_seed(0)
head_only = adapt(pretrained, last_block=False)

# %% [markdown]
# Then the last block as well; a few seconds. `model` is the one that does better on the validation sketches.

# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "chosen", "schema_version": 3}
last_block_too = adapt(pretrained, last_block=True)
model = max(head_only, last_block_too, key=lambda adapted: adapted[1])[0]

# %%
steps, losses = list(range(0, 400, 40)), {"new head": head_only[2], "head and last block": last_block_too[2]}
described(
    charts.curves(
        steps,
        {name: [losses[name][step] for step in steps] for name in losses},
        "A head alone learns little about sketches",
        xlabel="step",
        ylabel="loss on 200 sketches",
    ),
    "; ".join(f"{name}: the loss goes from {each[0]:.2f} to {each[-1]:.2f}" for name, each in losses.items()),
)


# %% uses=["ViT", "replace_head"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_fine_tune", "schema_version": 3}
@check.probe
def observe(first, second, images, labels, steps, rate, frozen):
    """Two layers, of which one may be frozen: the losses, the weights and the inputs afterwards."""
    layers = [nn.Linear(w.shape[1], len(w), bias=False) for w in (first, second)]
    model = nn.Sequential(layers[0], nn.Tanh(), layers[1])
    with torch.no_grad():
        for layer, value in zip(layers, (first, second), strict=True):
            layer.weight.copy_(value)
    if frozen is not None:
        layers[frozen].weight.requires_grad_(False)
    losses = fine_tune(model, images, labels, steps, rate)
    return losses, [layer.weight.detach() for layer in layers], [images, labels]


@check.probe
def one_layer(weight, images, labels, steps, rate):
    model = nn.Linear(weight.shape[1], len(weight), bias=False)
    with torch.no_grad():
        model.weight.copy_(weight)
    losses = fine_tune(model, images, labels, steps, rate)
    return losses, model.weight.detach()


@check.probe
def counted(labels, said, classes):
    return confusion_matrix(labels, said, classes), labels, said


@check.probe
def has_model():
    return "model" in globals()


@check.probe
def trained(images):
    with torch.no_grad():
        return model.eval()(images)


def listed(losses, steps):
    check.that(
        isinstance(losses, list), "fine_tune returns a list of losses", likely="a `return` is missing, or one loss"
    )
    likely = "one loss for each step, measured before it: " + (
        "a step too few" if len(losses) < steps else "one too many"
    )
    check.equal(len(losses), steps, "the number of losses", likely=likely)
    likely = "tensors; .item() makes a number of each"
    check.that(all(type(loss) is float for loss in losses), "each loss is a float", likely=likely)
    return torch.tensor(losses)


# By hand: three times the same image, so that the mean is that of one.
losses, weight = one_layer(torch.zeros(2, 1), torch.ones(3, 1), torch.zeros(3).long(), 3, 1.0)
right = torch.tensor([0.6931, 0.3133, 0.1946])
likely = {
    "gradients of earlier steps are not cleared": torch.tensor([0.6931, 0.3133, 0.0761]),
    "the losses are measured after their steps": torch.tensor([0.3133, 0.1946, 0.1405]),
    "the step goes uphill: minus rate times gradient": torch.tensor([0.6931, 1.3133, 2.5439]),
    "a softmax comes before the cross-entropy, which brings its own": torch.tensor([0.6931, 0.5782, 0.5022]),
    "the losses of the images are added; take their mean": torch.tensor([2.0794, 0.1458, 0.1103]),
    "nothing was learned: the parameters are not changed": torch.full((3,), 0.6931),
    "each step has the size of the rate, not rate times gradient": torch.tensor([0.6931, 0.1269, 0.0181]),
    "Adam took the steps; plain gradient descent is asked for": torch.tensor([0.6931, 0.1269, 0.0257]),
    "AdamW took the steps; plain gradient descent is asked for": torch.tensor([0.6931, 0.1269, 0.0262]),
    "the optimiser has momentum; plain gradient descent is asked for": torch.tensor([0.6931, 0.3133, 0.0837]),
    "the rate falls from step to step; it stays as it is": torch.tensor([0.6931, 0.3133, 0.2287]),
    "a squared error; cross-entropy is asked for": torch.tensor([0.2500, 0.1425, 0.0890]),
}
check.close(listed(losses, 3), right, "the list of losses of the head by hand", rtol=0, atol=2e-3, likely=likely)
check.close(
    weight, torch.tensor([[0.9458], [-0.9458]]), "the weight matrix after three steps", rtol=0, atol=2e-3, likely={}
)


def reference(first, second, images, labels, steps, rate, free):
    """Losses and weights by the library's optimiser, which gets only the layers in `free`."""
    own = [first.clone().requires_grad_(), second.clone().requires_grad_()]
    optimiser, losses = torch.optim.SGD([own[i] for i in free], lr=rate), []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = F.cross_entropy((images @ own[0].mT).tanh() @ own[1].mT, labels)
        loss.backward()
        losses.append(loss.item())
        optimiser.step()
    return torch.tensor(losses), [w.detach() for w in own]


def compare(draw, B, f, hidden, classes, steps, rate, frozen):
    first, second, images = draw((hidden, f), (classes, hidden), (B, f))
    labels = torch.arange(B) * 7 % classes
    start = (first, second, images, labels, steps, rate)
    likely = "a frozen parameter has no gradient; skip it"
    with check.instead_of(["NoneType"], "frozen parameters are no obstacle", likely):
        losses, weights, after = observe(*start, frozen)
    check.untouched(after, [images, labels], "fine_tune leaves images and labels as they were")
    right, own = reference(*start, [i for i in (0, 1) if i != frozen])
    likely = {"frozen parameters were trained, too": reference(*start, [0, 1])[0]}
    likely |= {"only the last parameter takes a step; all trainable ones do": reference(*start, [1])[0]}
    one = [reference(first, second, images[:1], labels[:1], 1, rate, [0, 1])[0]]
    what = f"the list of losses of {B} images and {classes} classes" + (
        "" if frozen is None else f", layer {frozen} frozen,"
    )
    found = listed(losses, steps)
    if torch.allclose(found[:1], one[0], atol=1e-5):
        likely["a step takes one image; it must take all"] = found
    check.close(found, right, what, rtol=1e-3, atol=1e-4, likely=likely)
    for i, name in enumerate(["first", "second"]):
        what = f"the weight matrix of the {name} layer" + (", which is frozen" if i == frozen else "")
        check.close(weights[i], own[i], what, rtol=1e-3, atol=1e-4, likely={})


for frozen in (None, 0, 1):
    compare(check.normal, 6, 5, 4, 3, 4, 0.5, frozen)

# The matrix: by hand, classes that never occur, an image called a class that none has.
labels, said = torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 1, 1])
right = torch.tensor([[1, 1, 0], [0, 1, 0], [0, 1, 0]])


def compare_counts(labels, said, classes, right):
    case = f"labels {labels.tolist()} and answers {said.tolist()}" if len(labels) < 9 else f"{len(labels)} images"
    counts, *after = counted(labels, said, classes)
    what = f"the confusion matrix of {case}"
    likely = "a row and a column for each class, also for those that never occur"
    check.shape(counts, (classes, classes), what, likely=likely)
    likely = {
        "rows and columns are exchanged: rows are true classes, columns answers": right.mT,
        "shares were given; counts are asked for": right / right.sum(1, keepdim=True).clamp(min=1),
        "counts[labels, said] += 1 counts each pair once only": right.clamp(max=1),
        "only the right answers are counted": right.diag().diag(),
        "only the wrong answers are counted": right - right.diag().diag(),
    }
    check.close(counts, right, what, likely=likely)
    check.dtype(counts, torch.int64, what, likely="torch.zeros makes floats unless told otherwise; counts are whole")
    check.untouched(after, [labels, said], "confusion_matrix leaves labels and answers as they were")


compare_counts(labels, said, 3, right)
compare_counts(torch.tensor([3, 3, 3, 0, 0]), torch.tensor([1, 1, 3, 0, 0]), 5, torch.tensor(
    [[2, 0, 0, 0, 0], [0] * 5, [0] * 5, [0, 2, 0, 1, 0], [0] * 5]
))  # fmt: skip
BEFORE = "; test this before counting"
check.raises("ValueError", counted, labels, said[:3], 3, rule="4 labels, but 3 answers")
check.raises("ValueError", counted, labels, said[:1], 3, rule="4 labels, but 1 answer")
for wrong, kind in {(0, 0, 1, 3): "too large", (0, 0, -1, 2): "negative"}.items():
    number = torch.tensor(wrong)
    check.raises("ValueError", counted, number, labels, 3, rule=f"a label is {kind}: {wrong}{BEFORE}")
    check.raises("ValueError", counted, labels, number, 3, rule=f"an answer is {kind}: {wrong}{BEFORE}")


def share_of_sketches(some, what):
    """The share of sketches in which the trained model is right."""
    scores = trained(some.images)
    check.shape(scores, (len(some.labels), 4), f"the table of class scores of {what}")
    share = (scores.argmax(-1) == some.labels).double().mean()
    likely = "training does not reach the last block" if share < 0.6 else "trained too little"
    what = f"the trained model is right in at least 70 % of {what}; it has {100 * share:.0f} %"
    check.that(share >= 0.7, what, likely + ". Mended since? Run the training cells again")


likely = "run the training cells; if one shows an error, mend this first"
check.that(has_model(), "the training cells have made `model`", likely)
share_of_sketches(signs.pictures(300, seed=6, sketched=True), "300 sketches that it has not seen")

### BEGIN HIDDEN TESTS
for sizes in [(8, 3, 5, 4, 6, 0.3), (5, 6, 3, 2, 3, 1.2), (9, 2, 7, 6, 5, 0.7)]:
    for frozen in (None, 0, 1):
        compare(check.hidden, *sizes, frozen)
seed = check.hidden_seed()
for classes, count in [(4, 60), (7, 30), (2, 25), (9, 11), (3, 1)]:
    true, answers = torch.randint(classes, (2, count), generator=torch.Generator().manual_seed(seed + count))
    right = torch.zeros(classes, classes).long()
    for row, column in zip(true.tolist(), answers.tolist(), strict=True):
        right[row, column] += 1
    compare_counts(true, answers, classes, right)
    check.raises("ValueError", counted, true, answers.repeat(2), classes, rule="labels and answers differ in number")
    check.raises(
        "ValueError", counted, true - true.max() + classes, answers, classes, rule="a label is too large" + BEFORE
    )
share_of_sketches(signs.pictures(600, seed=check.hidden_seed(), sketched=True), "sketches that it has not seen")
### END HIDDEN TESTS

# %% [markdown]
# The choice is made. Now, and only now, the test sketches.

# %%
test = signs.pictures(400, seed=7, sketched=True)
with torch.no_grad():
    scores = model(test.images)  # (400, 4)
counts = confusion_matrix(test.labels, scores.argmax(-1), 4)
share = counts.diag().sum().item() / counts.sum().item()
described(
    signs.table(counts, f"{share:.0%} of 400 test sketches on the diagonal"),
    f"A confusion matrix of four signs; rows are true, columns said: {counts.tolist()}.",
)

# %% [markdown]
# **What to see.** Read a row: what were squares taken for? One number for all, the accuracy, would hide which signs get
# mixed up. With the encoder frozen, a head cannot make up for features that do not tell sketches apart; the last block
# had to learn, too. (In class a new head was enough for outlines: that encoder knew ten digits. Ours knows four filled
# signs.) Nor is the probability of one picture an accuracy. It says how sure the model is of this picture;
# how often such a model is right is counted over many.
#
# And your own occlusion map, for the right answer of which the model is least sure.

# %%
label, place = test.labels, torch.arange(400)
right = scores.argmax(-1) == label  # (400,)
sure = scores.softmax(-1)[place, label]  # (400,)
least = sure.where(right, 1).argmin().item()
drops = occlusion_map(model, test.images[least], signs.PATCH, label[least].item())
name = signs.NAMES[label[least]]
described(
    signs.drops(test.images[least], drops, f"What a grey patch does to {sure[least]:.2f} for {name}"),
    f"A sketched {name}, and how far its probability falls under each of 16 covers: {[[round(x, 2) for x in row] for row in drops.tolist()]}.",
)

# %% [markdown]
# **What to see.** Each number is one test of its own. Above 0: the cover hid something that spoke for the label. Below 0:
# the grey square raised the probability. Here it does so on most squares, also over empty ground, where there was nothing
# to hide. So it is the grey that speaks there, not what it hid: the ground is dark, and a grey square is a thing that the
# model has never seen. Then try a picture of which the model is sure: `least = sure.where(right, 0).argsort()[-1].item()`.

# %% [markdown] lint={"number .2486": "the lecture's photograph and model"}
# ## Exercise 9 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# In the last block of the lecture's model, one head gives the dog's patch P64 a gate of .2486 in the row of CLS. A
# friend says: "So a quarter of the decision comes from P64." Suppose you cover P64 with grey, and the probability of the
# label does not fall at all. **How can a high gate go with a drop of 0?**
#
# - One point: give two explanations, each of which fits both numbers.
# - One point: describe an experiment that would tell your two explanations apart, and say what even its result does not
#   show.
#
# Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "gate_no_explanation", "schema_version": 3}
# First explanation: what was taken never reaches the class score. A gate says how much of a *value* row is taken, in one
# head of one block. A large share of a value near zero, or of one that the output projection removes, changes nothing.
# And two more heads of the block, the residual path, the MLPs and the class head can outweigh it.
#
# Second explanation: the clue is not P64's alone. Other patches hold it, too, so without P64 the answer stays. Before
# the last block row 64 has already collected from all others: it is no longer the patch, and covering the patch's pixels
# may leave it nearly as it was. (A third: the grey square is a clue itself, and adds what the cover took away.)
#
# To tell them apart, set this gate, or value row 64 of this head, to zero, leave the pixels as they are, and compare the
# probability of the label. If it stays, the quarter carried nothing that the answer needs, as in the first. If it falls,
# row 64 carried a clue that does not hang on the pixels of P64 alone, as in the second. Or cover P64 together with the
# patches that may hold the same clue: a drop now speaks for the second. Either result is about one picture. A row of
# zeros or a grey square is unlike what the model was trained on, drops do not add up, and others may stand in again.
#
# (One point for two explanations that differ in kind, out of: the value and the output projection; other heads, residual
# path, MLPs or class head; rows that are already mixed; the same clue elsewhere; the cover as a clue of its own. One
# point for an intervention whose result would differ between the two, with its limit: redundancy, no additivity, an
# unusual input, one picture only.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | token, row | token, patch embedding | one row of `x` |
# | `patchify`, `unpatchify` | unfold and fold, im2col | with stride = kernel size |
# | `project` | patch embedding, patch projection, linear stem | a convolution with stride = kernel size |
# | CLS | class token, `[CLS]` | read by the head; averaging the rows is another readout |
# | `position` | learned absolute position embedding | CLS has one, too |
# | class score | logit | before the softmax |
# | gate | attention weight, attention probability | after the softmax of the scores |
# | pre-norm | pre-LN | normalise, compute, add |
# | new head, frozen encoder | linear probe | the encoder's numbers stay |
# | head and last block | partial fine-tuning | |
# | `occlusion_map` | occlusion sensitivity | Zeiler and Fergus, 2014 |
#
# **Differs from the paper.** Dosovitskiy et al. (2021) put a hidden layer with tanh into the head for the first training
# and take it away for fine-tuning; ours is one layer throughout. They use dropout, we do not. They fine-tune *all*
# weights and start the new head at zero; we freeze most and start it at random. Our small model is trained on a few
# thousand drawn signs: it says nothing about photographs.
