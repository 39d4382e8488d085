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
# # 08 · Many senses, one language of tokens
#
# **The question:** a picture becomes tokens, a sentence becomes tokens. What does one encoder learn from both at once?
# In this homework you put a picture into a sentence, compare pictures with words, cut sounds and films into tokens,
# and count what all these tokens cost.
#
# How it works: write your code where a cell says `NotImplementedError`, then run the test cell below it. The test stops
# at the first thing that is wrong and says what it was probably caused by. After you hand in, hidden tests check the
# same properties with other numbers.
#
# A message has a line `called    observe(...)`. `observe` is a little function of the test's own: it calls yours with
# these inputs. (`measure`, `gradients` and the like are such functions, too.)
#
# All exercises together take about 150 minutes. **Stuck? Go on:** run the later cells one by one. Exercises 1, 2 and 8
# are a chain (a picture's token, the model, its training). The others stand alone.

# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "setup", "schema_version": 3}
import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import captioned, charts, check, plots, settings
from course_utils.described import described
from course_utils.sentences import CLS, MASK, PAD, SEP

settings.prepare(seed=0)

# %% [markdown]
# ## What did the cat do?

# %%
some = captioned.animals(4, seed=5)
described(
    plots.pictures(
        some.images.clamp(0, 1), list(some.captions), "A low animal sat, a tall one stood", boundaries=False
    ),
    f"Four small pictures of one animal each. Their captions: {'; '.join(some.captions)}.",
)

# %% [markdown]
# **What to see.** A cat is a box, a dog an oval. Hide a word: "the red cat [MASK] on the mat". Both sat and stood make a
# good sentence, and in these captions both are equally frequent. No text, however much, can tell which one is meant.
# The picture can. In exercise 8 your model learns to look.
#
# **Words.** `B` is the size of the batch, `T` the number of words of a sentence, `N` the number of a picture's patches,
# `D_img` and `D_text` are the widths of a picture's and of a word's token. `ids` are the numbers of words in the
# vocabulary `captioned.WORDS`; `[PAD]` (id `PAD`) fills short sentences up, `[MASK]` (id `MASK`) hides a word. Batch comes
# first, always. A *score* stands before the softmax; after it is a *probability*.

# %% [markdown]
# ## Exercise 1 · `image_token`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 10 | 3 | nothing | all of torch |
#
# **Why.** A vision transformer turns a picture into one row of numbers for each patch. To stand in a sentence the picture
# must become a token like a word's: as wide as these, and with numbers that mean the same. Width is easy. The meaning
# has to be learned, so the last step is a learned layer.
#
# **Steps.**
#
# 1. Average the features over the patches: (B, N, D_img) → (B, D_img).
# 2. Send the average through `project`, a learned `nn.Linear`: (B, D_text).
# 3. Return it as a sequence of one token: (B, 1, D_text).
# 4. No patch at all has no average: raise **`ValueError`**.
#
# **By hand.** Two patches [1, 2] and [3, 6] average to [2, 4]. A layer with rows [1, 1], [1, −1], [0, .5] and bias
# [.5, 0, 0] makes the token [6.5, −2, 2] of it.
#
# **What is tested.** That token; several pictures, one patch, other widths; a gradient reaches the features and the layer;
# the features are not changed; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "image_token", "schema_version": 3}
def image_token(features: Tensor, project: nn.Linear) -> Tensor:
    """One token, as wide as a word's, for each picture.

    Args:
        features: (B, N, D_img), one row for each patch.
        project: the learned layer from D_img to D_text.

    Returns:
        (B, 1, D_text).

    Raises:
        ValueError: there is no patch.
    """
    ### BEGIN SOLUTION
    if features.shape[1] == 0:
        raise ValueError("a picture without patches has no average")
    return project(features.mean(1, keepdim=True))  # (B, 1, D_text)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the dimension of length 1</summary>
#
# `mean` can keep the dimension that it averages over. Or put one in afterwards.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_image_token", "schema_version": 3}
@check.probe
def observe(features, weight, bias):
    project = nn.Linear(*weight.mT.shape)
    with torch.no_grad():
        project.weight.copy_(weight)
        project.bias.copy_(bias)
        return image_token(features, project), features


@check.probe
def gradients(features, width):
    torch.manual_seed(0)
    features, project = features.requires_grad_(), nn.Linear(features.shape[2], width)
    out = image_token(features, project)
    found = torch.autograd.grad(out.square().sum(), [features, *project.parameters()], allow_unused=True)
    return [g is not None and bool(g.any()) for g in found]


def compare(features, weight, bias, case):
    B, N, _ = features.shape
    got, after = observe(features, weight, bias)
    likely = {
        (B, len(bias)): "a sequence of one token has a dimension for it: (B, 1, D_text)",
        (B, N, len(bias)): "no average over the patches",
    }.get(tuple(getattr(got, "shape", ())), "the average is over the patches: (B, 1, D_text)")
    check.shape(got, (B, 1, len(bias)), f"the token of {case}", likely=likely)

    def linear(x):
        return x @ weight.mT + bias  # (..., D_text)

    right = torch.stack([linear(picture.sum(0) / N) for picture in features])[:, None]  # (B, 1, D_text)
    likely = {
        "the patches are added; take their average": linear(features.sum(1, keepdim=True)),
        "the largest number of each feature; take the average": linear(features.amax(1, keepdim=True)),
        "the first patch alone; average all": linear(features[:, :1]),
        "averaged over the batch, too: each picture has a token of its own": linear(
            features.mean((0, 1), keepdim=True).expand(B, 1, -1)
        ),
        "the bias is missing: call the layer itself": right - bias,
    }
    check.close(got, right, f"the token of {case}", likely=likely)
    check.untouched([after], [features], "image_token leaves the features as they were")


weight, bias = torch.tensor([[1.0, 1], [1, -1], [0, 0.5]]), torch.tensor([0.5, 0, 0])
hand = torch.tensor([[[1.0, 2], [3, 6]]])
compare(hand, weight, bias, "the picture by hand")
check.close(observe(hand, weight, bias)[0], torch.tensor([[[6.5, -2, 2]]]), "the token by hand")
compare(*check.normal((3, 5, 4), (6, 4), (6,)), "3 pictures of 5 patches")
compare(*check.normal((2, 1, 3), (7, 3), (7,)), "2 pictures of one patch")
reached = gradients(check.normal((2, 3, 4)), 5)
check.equal(
    reached, [True] * 3, "gradient at features, weight, bias", likely=".detach(), .data, no_grad or a new layer"
)
check.raises("ValueError", observe, torch.zeros(2, 0, 2), weight, bias, rule="there is no patch")

### BEGIN HIDDEN TESTS
for B, N, D, wide in [(2, 6, 3, 5), (4, 9, 5, 2), (1, 16, 8, 7)]:
    compare(*check.hidden((B, N, D), (wide, D), (wide,)), f"{B} pictures of {N} patches")
    check.equal(gradients(check.hidden((B, N, D)), wide), [True] * 3, "gradient at features, weight, bias")
    zeros = torch.zeros(B, 0, D)
    check.raises("ValueError", observe, zeros, *check.hidden((wide, D), (wide,)), rule="there is no patch")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 2 · `MultimodalBert`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 4 | 30 | 7 | `image_token` | all of torch |
#
# **Why.** The encoder mixes tokens. It does not ask where they come from. So a picture joins a sentence in the simplest
# way: its token goes before the words, and `[MASK]` may attend to it as to any word.
#
# **Given:** all pieces with numbers to learn. `look` is a vision transformer of one block: it cuts a picture into patches
# and returns their features. `encoder` is a stack of PyTorch's pre-norm blocks with a last layer normalisation.


# %% room="both" nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "Pieces", "schema_version": 3}
WORDS = len(captioned.WORDS)
torch.manual_seed(0)


def block(width, heads):
    return nn.TransformerEncoderLayer(
        width, heads, 2 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )


class Pieces(nn.Module):
    """What a `MultimodalBert` is made of. `wide` is the width of a word's token, `seen` that of a patch."""

    def __init__(self, words=WORDS, length=9, wide=32, seen=32, side=16, patch=4, heads=2, blocks=1):
        super().__init__()
        self.words, self.head = nn.Embedding(words, wide), nn.Linear(wide, words)
        self.places = nn.Parameter(torch.randn(length, wide) / 8)  # where a word stands
        self.cut = nn.Conv2d(3, seen, patch, stride=patch)
        self.spots = nn.Parameter(torch.randn((side // patch) ** 2, seen) / 2)  # where a patch lies
        self.eye, self.project, norm = block(seen, heads), nn.Linear(seen, wide), nn.LayerNorm(wide)
        self.encoder = nn.TransformerEncoder(block(wide, heads), blocks, norm=norm, enable_nested_tensor=False)

    def look(self, image: Tensor) -> Tensor:
        patches = self.cut(image).flatten(2).mT  # (B, N, D_img)
        return self.eye(patches + self.spots)  # (B, N, D_img)


# %% [markdown]
# **Steps** of `forward(ids, image)`:
#
# 1. Words become tokens: their embedding, `words`, plus the first T rows of `places`: (B, T, D_text).
# 2. With a picture: `look` at it, make one token of it with your `image_token` and `project`, and put it **before** the
#    words: (B, 1 + T, D_text). It gets no row of `places`. Without a picture (`None`) the words stand alone.
# 3. Send the tokens through `encoder`. No token may attend to padding. `src_key_padding_mask` is True where a token is
#    padding, and has a column for **each** token. The picture is never padding.
# 4. Keep the words' rows only, and let `head` give each its scores: (B, T, words).
#
# **By hand.** With 3 words and 1 picture, the encoder reads 4 tokens. Row 0 is the picture's. Rows 1 to 3 are the words',
# and these 3 go to `head`. If the third word is padding, the mask is [False, False, False, True].
#
# **What is tested.** Shapes, with and without pictures. The scores of one sentence as numbers, by the pieces above with
# fixed weights. Scores of real words stay as they are when padding follows. A sentence reads its own picture, not its
# neighbour's. The place of a word counts. A gradient reaches every piece that is used. `ids` and `image` are not changed.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "MultimodalBert", "schema_version": 3}
class MultimodalBert(Pieces):
    """A BERT that may see a picture. It is built as `Pieces` is."""

    def forward(self, ids: Tensor, image: Tensor | None = None) -> Tensor:
        """Scores for the word at each place.

        Args:
            ids: (B, T) words, with `PAD` at the end of short sentences.
            image: (B, 3, side, side), one picture for each sentence, or None.

        Returns:
            (B, T, words).
        """
        ### BEGIN SOLUTION
        tokens, padding, count = self.words(ids) + self.places[: ids.shape[1]], ids == PAD, ids.shape[1]
        if image is not None:
            picture = image_token(self.look(image), self.project)  # (B, 1, D_text)
            tokens = torch.cat([picture, tokens], dim=1)  # (B, 1 + T, D_text)
            padding = F.pad(padding, (1, 0))  # (B, 1 + T)
        read = self.encoder(tokens, src_key_padding_mask=padding)  # (B, 1 + T, D_text)
        return self.head(read[:, -count:])  # (B, T, words)
        ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the mask has another width than the tokens</summary>
#
# With a picture there is one token more. The mask needs one column more as well, on the left, with False in it.
# </details>
#
# <details><summary>Hint 2: which rows are the words'?</summary>
#
# The last T, with a picture and without. Counting from the end needs no case for the picture.
# </details>


# %% uses=["image_token"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 4, "grade_id": "test_MultimodalBert", "schema_version": 3}
@check.probe
def observe(sizes, seed, ids, image=None):
    torch.manual_seed(0)
    model, drawn = MultimodalBert(**sizes).eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for own in model.parameters():
            own.add_(0.3 * torch.randn(own.shape, generator=drawn))
        return model(ids, image), [ids] if image is None else [ids, image]


@check.probe
def learning(sizes, seed, ids, image=None):
    """As `observe`, but while gradients are taken, as in training: PyTorch then goes another way through the encoder."""
    torch.manual_seed(0)
    model, drawn = MultimodalBert(**sizes).eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for own in model.parameters():
            own.add_(0.3 * torch.randn(own.shape, generator=drawn))
    return model(ids, image).detach()


@check.probe
def gradients(sizes, ids, image):
    torch.manual_seed(0)
    model = MultimodalBert(**sizes)
    model(ids, image).square().sum().backward()
    return [name for name, own in model.named_parameters() if own.grad is None or not own.grad.any()]


def scores(sizes, seed, ids, image=None):
    """What the model gives, after the checks of its form."""
    case = f"{len(ids)} sentences of {ids.shape[1]} words " + ("alone" if image is None else "with pictures")
    likely = "a mask needs a column for each token, also for the picture's; and in front of the words"
    with check.instead_of(["key_padding_mask", "mask shape", "mask_type"], f"{case} can be read", likely):
        got, after = observe(sizes, seed, ids, image)
    likely = "the picture's row has no word: keep the words' rows"
    check.shape(got, (*ids.shape, sizes["words"]), f"the scores of {case}", likely=likely)
    check.finite(got, f"the scores of {case}", "the mask is the wrong way round: True is padding, not a word")
    check.untouched(after, [ids] if image is None else [ids, image], "ids and image stay as they were")
    return got


def invariants(sizes, seed, ids, image):
    """What must hold whatever the weights are; `ids` without padding, at least two sentences of three words."""
    B, T = ids.shape
    longer = F.pad(ids, (0, sizes["length"] - T), value=PAD)
    for seen, case in ((None, "without a picture"), (image, "with one")):
        got = scores(sizes, seed, ids, seen)
        likely = "padding is read: src_key_padding_mask is True where ids are PAD"
        padded = scores(sizes, seed, longer, seen)[:, :T]
        check.close(padded, got, f"the scores of real words, {case}, with padding behind", atol=1e-4, otherwise=likely)
        what = f"the scores of real words, {case}, with padding behind, while gradients are taken"
        likely = "the mask must be bool, also in the picture's column: a mask of floats is added to the scores"
        check.close(learning(sizes, seed, longer, seen)[:, :T], got, what, atol=1e-4, otherwise=likely)
        turned = scores(sizes, seed, ids[:, [1, 0, *range(2, T)]], seen)
        likely = "the rows of places are missing"
        check.that((turned - got)[:, 2:].abs().max() > 1e-4, f"the order of words counts, {case}", likely)
    likely = "the picture's token is missing, or hidden by the mask"
    alone = scores(sizes, seed, ids)
    check.that((got - alone).abs().amax((1, 2)).min() > 1e-3, "a picture changes the scores of its sentence", likely)
    other = image.clone()
    other[0] = image[0].flip(1) + 1
    changed = (scores(sizes, seed, ids, other) - got).abs().amax((1, 2)) > 1e-4
    check.equal(
        changed.tolist(), [True] + [False] * (B - 1), "which sentences change with picture 0", "pictures get mixed"
    )


SMALL = {"words": 7, "length": 6, "wide": 4, "seen": 6, "side": 4, "patch": 2, "heads": 2, "blocks": 2}
ids, image = torch.tensor([[5, 6, 4], [6, 6, 5]]), check.normal((2, 3, 4, 4))
invariants(SMALL, 3, ids, image)
# By the pieces, with fixed weights: the scores of the second word, for words 0 to 3.
padded = torch.tensor([[5, 6, 4, PAD]])
KNOWN = {
    "without a picture": (
        [0.4597, -0.1768, 0.2446, 3.8819],
        {
            "the rows of places are missing": [-0.1594, -0.4558, 0.3393, 2.8250],
            "padding is read: src_key_padding_mask is True where ids are PAD": [0.2823, -0.1590, 0.6454, 3.3614],
        },
    ),
    "with one": (
        [0.2787, -0.2281, 0.4402, 3.5252],
        {
            "the rows of places are missing": [-0.1374, -0.4455, 0.3482, 2.8657],
            "padding is read: src_key_padding_mask is True where ids are PAD": [0.2006, -0.1919, 0.6734, 3.2133],
            "the picture's row was kept and the last word's lost: keep the last T": [-0.1416, -0.4533, 0.3218, 2.8702],
            "the picture's token is missing, or hidden by the mask": [0.4597, -0.1768, 0.2446, 3.8819],
            "the picture's token got a row of places; only words have one": [0.2801, -0.2298, 0.4318, 3.5330],
        },
    ),
}
for seen, (case, (right, slips)) in zip((None, image[:1]), KNOWN.items(), strict=True):
    likely = {why: torch.tensor(numbers) for why, numbers in slips.items()}
    what = f"the scores of the second word, {case}, for words 0 to 3"
    got = scores(SMALL, 3, padded, seen)[0, 1, :4]
    check.close(got, torch.tensor(right), what, rtol=0, atol=3e-4, likely=likely)
unreached = gradients(SMALL, padded, image[:1])
check.equal(unreached, [], "pieces that no gradient reaches", likely="a piece is not used, or detached")


### BEGIN HIDDEN TESTS
def by_pieces(sizes, seed, ids, image, slip=""):
    """The right scores, or those that a slip gives."""
    torch.manual_seed(0)
    own, drawn = Pieces(**sizes).eval(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in own.parameters():
            p.add_(0.3 * torch.randn(p.shape, generator=drawn))
        rows = [own.words.weight[ids[:, t]] + (slip != "places") * own.places[t] for t in range(ids.shape[1])]
        hidden = [ids[:, t].eq(PAD) & (slip != "padding") for t in range(ids.shape[1])]
        first = int(image is not None and slip not in ("behind", "row"))
        if image is not None:
            seen = own.project(own.look(image).mean(1))
            if slip == "place":
                seen = seen + own.places[0]
            at = len(rows) if slip == "behind" else 0
            rows.insert(at, seen)
            hidden.insert(at, torch.full((len(ids),), slip == "hidden"))
        mixed = own.encoder(torch.stack(rows, 1), src_key_padding_mask=torch.stack(hidden, 1))
        return own.head(mixed)[:, first : first + ids.shape[1]]


SLIPS = {
    "places": "the rows of places are missing",
    "padding": "padding is read",
    "row": "the picture's row was kept and the last word's lost: keep the last T",
    "hidden": "the picture's token is hidden by the mask",
    "place": "the picture's token got a row of places; only words have one",
}
for B, T, sizes in [
    (2, 4, SMALL | {"blocks": 1}),
    (3, 5, {"words": 11, "length": 7, "wide": 6, "seen": 4, "side": 6, "patch": 3, "heads": 1, "blocks": 2}),
    (4, 3, {"words": 9, "length": 5, "wide": 8, "seen": 8, "side": 6, "patch": 2, "heads": 4, "blocks": 1}),
]:
    chance, seed = torch.Generator().manual_seed(check.hidden_seed()), check.hidden_seed() % 10_000
    ids = torch.randint(4, sizes["words"], (B, T), generator=chance)
    ids[:, 0], ids[:, 1], ids[:, 2] = 5, 6, 4
    image = check.hidden((B, 3, sizes["side"], sizes["side"]))
    invariants(sizes, seed, ids, image)
    ids = F.pad(ids, (0, 1), value=PAD)
    for seen in (None, image):
        likely = {why: by_pieces(sizes, seed, ids, seen, slip)[:, :T] for slip, why in SLIPS.items()}
        got = scores(sizes, seed, ids, seen)[:, :T]
        what = f"the scores of {B} sentences, {'alone' if seen is None else 'with pictures'}"
        check.close(got, by_pieces(sizes, seed, ids, seen)[:, :T], what, rtol=1e-4, atol=1e-4, likely=likely)
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 3 · `fill_mask`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 9 | nothing | all of torch |
#
# **Why.** One best guess hides how sure a model is. The lecture shows the five best, with a picture and without. Side by side
# they say what the picture adds.
#
# **Steps.** `ids` is **one** sentence, (T,), and `image` one picture, (3, h, w), or None.
#
# 1. Find the place of `[MASK]`. None, or more than one: raise **`ValueError`**.
# 2. Run the model, without gradients, on a batch of one: scores (1, T, words).
# 3. Softmax over the words at this place; all words of the vocabulary take part.
# 4. Return the `k` most probable as pairs (word, probability), best first. A `k` below 1 or above the number of words is
#    a **`ValueError`**, too. `captioned.WORDS.words[id]` is the word of an id.
#
# **By hand.** Scores 0 for all words but ln 6 for "sat" and ln 3 for "stood", in a vocabulary of 11: the exponentials add
# up to 9 + 6 + 3 = 18. So "sat" gets 6/18 = .333 and "stood" 3/18 = .167.
#
# **What is tested.** Words and probabilities for several places and `k`, with and without a picture; plain strings and
# floats in pairs; the order; a model's input is a batch; the errors.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "fill_mask", "schema_version": 3}
def fill_mask(model: nn.Module, ids: Tensor, image: Tensor | None = None, k: int = 5) -> list[tuple[str, float]]:
    """The most probable words at the [MASK] of one sentence.

    Args:
        model: from ids (B, T) and pictures (B, 3, h, w) or None to scores (B, T, words).
        ids: (T,) with exactly one [MASK].
        image: (3, h, w) or None.
        k: how many words.

    Returns:
        k pairs of a word and its probability, best first.

    Raises:
        ValueError: no [MASK] or several; k is not between 1 and the number of words.
    """
    ### BEGIN SOLUTION
    places = (ids == MASK).nonzero().flatten()  # (number of masks,)
    if len(places) != 1:
        raise ValueError(f"the sentence must have one [MASK], it has {len(places)}")
    with torch.no_grad():
        scores = model(ids[None], None if image is None else image[None])[0, places[0]]  # (words,)
    if not 1 <= k <= len(scores):
        raise ValueError(f"k must be between 1 and {len(scores)}, got {k}")
    best = scores.softmax(-1).topk(k)  # (k,) each
    return [(captioned.WORDS.words[i], p) for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)]
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: a batch of one, and back</summary>
#
# `x[None]` puts a batch dimension in front, `[0]` takes it away. There may be no picture to put it in front of.
# </details>
#
# <details><summary>Hint 2: probabilities that add up to 1</summary>
#
# First the softmax over all words, then the best of them. The other way round the k best share everything.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_fill_mask", "schema_version": 3}
@check.probe
def observe(table, ids, image=None, k=None):
    """Calls fill_mask with a model whose scores are rows of `table`, and, with a picture, of the table upside down."""

    class Told(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(table)

        def forward(self, ids, image=None):
            if ids.dim() != 2 or (image is not None and image.dim() != 4):
                raise RuntimeError("the model reads batches: ids (B, T), image (B, 3, h, w)")
            rows = self.table[: ids.shape[1]].expand(len(ids), -1, -1)  # (B, T, words)
            return rows if image is None else rows + image.mean() * rows.flip(1)

    options = {} if k is None else {"k": k}
    return fill_mask(Told(), ids, image, **options), ids


def compare(table, place, T, image=None, k=None):
    ids = torch.full((T,), 7).index_fill(0, torch.tensor([place]), MASK)
    ids[0] = CLS if place else MASK
    case = f"[MASK] at place {place} of {T}, {'without' if image is None else 'with'} a picture, k = {k or 5}"
    likely = "put a batch dimension in front of ids and image: [None]"
    with check.instead_of(["reads batches"], f"{case}: the model gets a batch of one", likely):
        got, after = observe(table, ids, image, k)
    check.that(isinstance(got, list), "fill_mask returns a list", "a `return` is missing, or a tensor came")
    check.equal(len(got), k or 5, f"the number of words for {case}", likely="k counts the words")
    pairs = all(isinstance(one, tuple) and len(one) == 2 for one in got)
    check.that(pairs, "each entry is a pair (word, probability)", "ids or lists in place of pairs")
    plain = all(type(word) is str and type(p) is float for word, p in got)
    check.that(
        plain, "each pair is a plain string and a plain float", "tensors or ids; .item(), .tolist(), WORDS.words"
    )
    rows = table[:T]
    shown = rows if image is None else rows + image.mean() * rows.flip(0)

    def best(scores):
        order = scores.argsort(descending=True)[: k or 5]
        return [captioned.WORDS.words[i] for i in order.tolist()], scores[order]

    words, _ = best(shown[place])
    found = [word for word, _ in got]
    causes = {
        "the worst words first: best first": [
            captioned.WORDS.words[i] for i in shown[place].argsort()[: k or 5].tolist()
        ],
        "the picture is not used": best(rows[place])[0],
        "the first place; take that of [MASK]": best(shown[0])[0],
        "the last place; take that of [MASK]": best(shown[-1])[0],
        "the place after [MASK]": best(shown[min(place + 1, T - 1)])[0],
    }
    check.equal(found, words, f"the words for {case}", next((why for why, w in causes.items() if w == found), ""))
    right = shown[place].softmax(-1).sort(descending=True).values[: k or 5]
    likely = {
        "the softmax is over the k best; all words take part": best(shown[place])[1].softmax(-1),
        "scores, not probabilities": best(shown[place])[1],
        "logarithms of the probabilities": right.log(),
        "the softmax is over the places; take it over the words": shown.softmax(0)[place][
            shown[place].argsort(descending=True)[: k or 5]
        ],
    }
    check.close(torch.tensor([p for _, p in got]), right, f"the probabilities for {case}", likely=likely)
    check.untouched([after], [ids], "fill_mask leaves ids as they were")


words = len(captioned.WORDS)
compare(check.normal((9, words)), 4, 9)
compare(check.normal((9, words), seed=1), 2, 6, check.normal((3, 4, 4)) + 2, 3)
compare(check.normal((9, words), seed=2), 0, 4, None, words)
hand = torch.zeros(3, 11)
sat, stood = captioned.WORDS.id("sat") - 5, captioned.WORDS.id("stood") - 5  # in a vocabulary of 11
hand[1, sat], hand[1, stood] = math.log(6), math.log(3)
got, _ = observe(hand, torch.tensor([CLS, MASK, SEP]), None, 2)
check.close(torch.tensor([p for _, p in got]), torch.tensor([6 / 18, 3 / 18]), "the two probabilities by hand")
table = check.normal((9, words))
check.raises("ValueError", observe, table, torch.tensor([CLS, 7, SEP]), rule="there is no [MASK]")
check.raises("ValueError", observe, table, torch.tensor([CLS, MASK, MASK, SEP]), rule="there are two [MASK]s")
for k in (0, -1, words + 1):
    check.raises("ValueError", observe, table, torch.tensor([CLS, MASK, SEP]), None, k, rule=f"k = {k}")

### BEGIN HIDDEN TESTS
for place, T, k in [(1, 5, 4), (6, 8, 1), (3, 7, 9)]:
    compare(check.hidden((9, words)), place, T, None, k)
    compare(check.hidden((9, words)), place, T, check.hidden((3, 2, 5)) + 3, k)
check.raises("ValueError", observe, table, torch.tensor([MASK, 7, MASK, MASK]), rule="there are three [MASK]s")
check.raises("ValueError", observe, table, torch.tensor([7, 7]), None, 2, rule="there is no [MASK]")
check.raises("ValueError", observe, table, torch.tensor([MASK, 7]), None, words + 5, rule="k is too large")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 4 · `clip_loss`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 3 | 20 | 5 | nothing | all of torch |
#
# **Why.** A model that reads picture and text together must run once for each pair. To search a million pictures, two encoders
# are better: one vector for a picture, one for a text, compared by their direction. CLIP trains both so that a picture
# points where its own caption points, and away from all other captions of the batch.
#
# **Steps.**
#
# 1. Give each picture's and each text's vector length 1. Their dot product is then a cosine.
# 2. Scores of every picture against every text: (B, B), rows are pictures, columns are texts. Multiply by `scale`, which
#    is learned: cosines alone, between −1 and 1, would make the softmax too soft.
# 3. Row i has one right column, i. The cross-entropy of the rows asks: which text belongs to this picture?
# 4. Column j has one right row, j. The cross-entropy of the columns asks: which picture belongs to this text?
# 5. Return the average of the two: one number.
# 6. Other shapes of `img` and `txt` than (B, D), or two that differ, raise **`ValueError`**.
#
# **By hand.** Two pictures [2, 0] and [0, 5], two texts [3, 0] and [1, 0], scale 1. The scores are [[1, 1], [0, 0]]. Each
# row is undecided: ln 2 = .693. Column 0 is right with scores 1 against 0, a loss of .313, column 1 is wrong with them,
# 1.313; their mean is .813. The loss is (.693 + .813)/2 = .753.
#
# **What is tested.** That number; other sizes and scales; longer vectors change nothing; pictures and texts exchanged give
# the same loss; a gradient reaches pictures, texts and scale; the inputs are not changed; the `ValueError`.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "clip_loss", "schema_version": 3}
def clip_loss(img: Tensor, txt: Tensor, scale: Tensor | float) -> Tensor:
    """How badly pictures and their own texts find each other in a batch.

    Args:
        img: (B, D), one vector for each picture, of any length but 0.
        txt: (B, D), the vectors of their texts, in the same order.
        scale: a factor of all cosines, one number.

    Returns:
        () the average of two cross-entropies: over texts for each picture, over pictures for each text.

    Raises:
        ValueError: the shapes are not (B, D), or not the same.
    """
    ### BEGIN SOLUTION
    if img.dim() != 2 or img.shape != txt.shape:
        raise ValueError(f"pictures and texts must both be (B, D), got {tuple(img.shape)} and {tuple(txt.shape)}")
    scores = scale * F.normalize(img, dim=-1) @ F.normalize(txt, dim=-1).mT  # (B, B)
    own = torch.arange(len(img))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.mT, own)) / 2
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: labels without labels</summary>
#
# The right column of row i is i. So the labels are 0, 1, 2, … in order. For columns, turn the matrix.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 3, "grade_id": "test_clip_loss", "schema_version": 3}
@check.probe
def observe(img, txt, scale):
    return clip_loss(img, txt, scale), [img, txt]


@check.probe
def gradients(img, txt, scale):
    parts = [part.requires_grad_() for part in (img, txt, scale)]
    found = torch.autograd.grad(clip_loss(*parts), parts, allow_unused=True)
    return [g is not None and bool(g.any()) for g in found]


def lost(scores):
    """The mean cross-entropy of the rows, whose right columns are on the diagonal."""
    return (scores.logsumexp(-1) - scores.diag()).mean()


def compare(img, txt, scale, case):
    got, after = observe(img, txt, scale)
    check.shape(got, (), f"the loss of {case}", likely="one number for the batch: cross_entropy takes the mean")
    u, v = (x.double() / x.double().square().sum(1, keepdim=True).sqrt() for x in (img, txt))
    cosines = torch.einsum("id,jd->ij", u, v)  # (B, B)
    scores, raw = scale * cosines, scale * torch.einsum("id,jd->ij", img.double(), txt.double())
    rows, columns = lost(scores), lost(scores.mT)
    likely = {
        "the vectors are not made unit length": (lost(raw) + lost(raw.mT)) / 2,
        "only rows count; the loss is symmetric": rows,
        "only columns count; the loss is symmetric": columns,
        "the two losses are added; take their average": rows + columns,
        "scale is not used": (lost(cosines) + lost(cosines.mT)) / 2,
        "divided by scale; multiply": (lost(cosines / scale) + lost(cosines.mT / scale)) / 2,
        "a softmax comes before the cross-entropy, which brings its own": (
            lost(scores.softmax(-1)) + lost(scores.mT.softmax(-1))
        )
        / 2,
        "only pictures are made unit length": (lost(scale * u @ txt.double().mT) + lost(scale * txt.double() @ u.mT))
        / 2,
        "scale is taken as a logarithm; multiply by it as it is": (
            lost(cosines * math.exp(scale)) + lost(cosines.mT * math.exp(scale))
        )
        / 2,
        "the whole batch was made unit length, not each vector": (
            lost(raw / img.norm() / txt.norm()) + lost(raw.mT / img.norm() / txt.norm())
        )
        / 2,
    }
    check.close(got.double(), (rows + columns) / 2, f"the loss of {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.untouched(after, [img, txt], "clip_loss leaves pictures and texts as they were")
    return got


img, txt = torch.tensor([[2.0, 0], [0, 5]]), torch.tensor([[3.0, 0], [1, 0]])
check.close(compare(img, txt, 1.0, "the two pairs by hand"), torch.tensor(0.753), "the loss by hand", atol=1e-3)
parts = torch.tensor([0.693 + 0.813, 0.693 + (0.313 + 1.313) / 2]) / 2
check.close(observe(img, txt, 1.0)[0].expand(2), parts, "the loss by hand, from its parts", atol=1e-3)
for B, D, scale in [(5, 3, 4.0), (3, 6, 0.5), (1, 4, 2.0)]:
    img, txt = check.normal((B, D), (B, D))
    got = compare(img, txt, scale, f"{B} pairs, D = {D}, scale {scale}")
    compare(txt, img, scale, "pictures and texts exchanged")
    longer = compare(img * torch.arange(1, B + 1)[:, None], txt * 3, scale, "longer vectors")
    check.close(longer, got, "the loss of longer vectors", otherwise="the vectors are not made unit length")
reached = gradients(*check.normal((4, 3), (4, 3)), torch.tensor(2.0))
check.equal(reached, [True] * 3, "gradient at pictures, texts, scale", likely=".item(), .detach(), float(scale)")
for one, other in [((4, 3), (3, 3)), ((4, 3), (4, 2)), ((3,), (3,)), ((2, 3, 4), (2, 3, 4))]:
    check.raises("ValueError", observe, *check.normal(one, other), 1.0, rule=f"shapes {one} and {other}")

### BEGIN HIDDEN TESTS
for B, D, scale in [(6, 4, 3.0), (4, 9, 10.0), (7, 2, 0.7), (2, 5, 1.5)]:
    compare(*check.hidden((B, D), (B, D)), scale, f"{B} pairs, D = {D}, scale {scale}")
    check.equal(gradients(*check.hidden((B, D), (B, D)), torch.tensor(scale)), [True] * 3, "gradients", "detached")
    check.raises("ValueError", observe, *check.hidden((B, D), (B + 1, D)), scale, rule="other batches")
    check.raises("ValueError", observe, *check.hidden((B, D, 1), (B, D, 1)), scale, rule="three dimensions")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 5 · `zero_shot`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 15 | 5 | nothing | all of torch |
#
# **Why.** The classifier of lesson 06 keeps a learned vector for each label, and knows no other labels. With CLIP's two
# encoders a class vector can come from language: encode "a photo of a dog". New classes then need new prompts, and no
# training. One prompt is a matter of luck with words, so one takes several and averages.
#
# **Steps.** `prompts[c]` holds the text vectors of class c, (n_c, D). Classes may have different numbers of prompts.
#
# 1. Give each prompt's vector length 1. Average those of a class, and give the average length 1 again: (C, D). Without the
#    first step long vectors would outvote short ones. Without the second, classes whose prompts disagree would score low.
# 2. Give each picture's vector length 1: (B, D).
# 3. Cosines of every picture against every class, times `scale`, and a softmax over the classes: (B, C).
# 4. No class, or a class without prompts: raise **`ValueError`**.
#
# **By hand.** Class 0 has prompts [2, 0] and [0, 1]. Unit length makes [1, 0] and [0, 1] of them, their average is
# [.5, .5], and again at unit length [.707, .707]. Class 1 has one, [0, 3], so [0, 1]. A picture [4, 0] has cosines .707
# and 0. With scale 1 the probabilities are .670 and .330.
#
# **What is tested.** Those numbers; other sizes, numbers of prompts and scales; the default scale; longer vectors change
# nothing; each row adds up to 1; the inputs are not changed; the errors.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "zero_shot", "schema_version": 3}
def zero_shot(image_embedding: Tensor, prompts: Sequence[Tensor], scale: float = 100.0) -> Tensor:
    """Probabilities of classes that are given by prompts.

    Args:
        image_embedding: (B, D), one vector for each picture.
        prompts: for each class the vectors of its prompts, (n_c, D).
        scale: a factor of all cosines.

    Returns:
        (B, C); each row adds up to 1.

    Raises:
        ValueError: there is no class, or a class has no prompt.
    """
    ### BEGIN SOLUTION
    if len(prompts) == 0 or any(len(some) == 0 for some in prompts):
        raise ValueError("there must be at least one class, and a prompt for each")
    means = torch.stack([F.normalize(some, dim=-1).mean(0) for some in prompts])  # (C, D)
    cosines = F.normalize(image_embedding, dim=-1) @ F.normalize(means, dim=-1).mT  # (B, C)
    return (scale * cosines).softmax(-1)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: different numbers of prompts</summary>
#
# One class at a time: unit length, average over its prompts. The averages have one shape, and can be stacked.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_zero_shot", "schema_version": 3}
@check.probe
def observe(images, prompts, scale=None):
    given = list(prompts)
    return zero_shot(images, given) if scale is None else zero_shot(images, given, scale), [images, *given]


def unit(x):
    return x / x.square().sum(-1, keepdim=True).sqrt()


def compare(images, prompts, scale, case):
    got, after = observe(images, prompts, scale)
    check.shape(
        got, (len(images), len(prompts)), f"the probabilities of {case}", likely="(B, C): a column for each class"
    )
    check.finite(got, f"the probabilities of {case}")
    factor = 100.0 if scale is None else scale

    def told(images, classes, dim=-1):
        return (factor * torch.einsum("bd,cd->bc", images, torch.stack(classes))).softmax(dim)

    u = unit(images)
    means = [unit(some).sum(0) / len(some) for some in prompts]
    right = told(u, [unit(m) for m in means])
    likely = {
        "the average is not made unit length again": told(u, means),
        "the prompts are not made unit length before the average": told(u, [unit(some.mean(0)) for some in prompts]),
        "no vector is made unit length": told(images, [some.mean(0) for some in prompts]),
        "the pictures are not made unit length": told(images, [unit(m) for m in means]),
        "only the first prompt of a class counts": told(u, [unit(some)[0] for some in prompts]),
        "the softmax is over pictures; take it over classes": told(u, [unit(m) for m in means], 0),
        "scale is not used": torch.einsum("bd,cd->bc", u, torch.stack([unit(m) for m in means])).softmax(-1),
        "cosines were returned; probabilities are asked for": torch.einsum(
            "bd,cd->bc", u, torch.stack([unit(m) for m in means])
        ),
        "scores were returned; the softmax is missing": factor * u @ torch.stack([unit(m) for m in means]).mT,
    }
    check.close(got, right, f"the probabilities of {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.close(got.sum(-1), torch.ones(len(images)), f"the sum of each row of {case}", atol=1e-4)
    check.untouched(after, [images, *prompts], "zero_shot leaves pictures and prompts as they were")
    return got


for B, D, counts, scale in [(2, 4, (3, 1, 2), 5.0), (4, 3, (2, 2), 1.5), (3, 5, (1, 4, 2, 3), None)]:
    images, *prompts = check.normal((B, D), *[(n, D) for n in counts])
    case = f"{B} pictures, prompts {counts}, " + ("the default scale" if scale is None else f"scale {scale}")
    got = compare(images, prompts, scale, case)
    longer = [some * torch.arange(1, len(some) + 1)[:, None] for some in prompts]
    check.close(compare(images * 5, longer, scale, case + ", longer vectors"), got, "longer vectors", atol=1e-4)
prompts = [torch.tensor([[2.0, 0], [0, 1]]), torch.tensor([[0.0, 3]])]
got = compare(torch.tensor([[4.0, 0]]), prompts, 1.0, "the picture by hand")
check.close(got, torch.tensor([[0.670, 0.330]]), "the probabilities by hand", atol=1e-3)
for cosine in (0.707, unit(torch.tensor([0.5, 0.5]))[0].item()):
    check.close(got[0], torch.tensor([cosine, 0]).softmax(-1), "the probabilities by hand", atol=1e-3)
for wrong in ([], [torch.ones(2, 3), torch.zeros(0, 3)]):
    check.raises("ValueError", observe, torch.ones(2, 3), wrong, rule="no class, or one without prompts")

### BEGIN HIDDEN TESTS
for B, D, counts, scale in [
    (5, 6, (2, 5, 3), 7.0),
    (1, 3, (4,), 2.0),
    (6, 4, (1, 2, 1, 5, 2), 3.0),
    (2, 7, (3, 3), None),
]:
    images, *prompts = check.hidden((B, D), *[(n, D) for n in counts])
    compare(images, prompts, scale, f"{B} pictures, prompts {counts}")
    check.raises("ValueError", observe, images, [torch.zeros(0, D), *prompts], scale, rule="a class without prompts")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 6 · `audio_tokens`, `video_tokens`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 14 | nothing | all of torch |
#
# **Why.** What can be cut can be read. A sound is cut into short slices, a film into patches of each frame. After that, one
# learned layer makes tokens of them, and the encoder does not care what they were.
#
# **Steps.**
#
# 1. `audio_tokens(sound, size)`: (B, samples) → (B, samples/size, size), slice after slice.
# 2. `video_tokens(clip, patch)`: (B, frames, C, H, W) → (B, frames · T, C·P·P), with T patches in a frame. First all patches of
#    frame 0, row by row, then those of frame 1. In a patch stand all numbers of channel 0, row by row, then channel 1.
# 3. A length, height or width that does not divide is a **`ValueError`** that says what to do: name the nearest smaller
#    size (cut off) and the nearest larger one (pad) that fit. A size or patch below 1 is a `ValueError`, too.
#
# **By hand.** Six samples 1 to 6 in slices of 2: [1, 2], [3, 4], [5, 6]. Ten samples in slices of 4 do not divide: cut to 8
# or pad to 12. A clip of 2 frames of 4 × 6 pixels, cut into patches of 2, has 2 · 2 · 3 = 12 tokens.
#
# **What is tested.** Order and shape for several sizes; one frame; one channel and several; a patch of one pixel; the inputs
# are not changed; errors, with both sizes in the message.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "audio_tokens", "schema_version": 3}
def audio_tokens(sound: Tensor, size: int) -> Tensor:
    """Cut sounds into slices.

    Args:
        sound: (B, samples).
        size: samples of a slice.

    Returns:
        (B, samples / size, size).

    Raises:
        ValueError: size is below 1 or does not divide; the message names the nearest sizes that fit.
    """
    ### BEGIN SOLUTION
    samples = sound.shape[1]
    if size < 1:
        raise ValueError(f"a slice needs at least 1 sample, not {size}")
    if rest := samples % size:
        raise ValueError(f"{samples} samples: cut to {samples - rest} or pad to {samples - rest + size}")
    return sound.unflatten(1, (-1, size))  # (B, samples / size, size)
    ### END SOLUTION


def video_tokens(clip: Tensor, patch: int) -> Tensor:
    """Cut each frame of films into patches.

    Args:
        clip: (B, frames, C, H, W).
        patch: side of a patch, in pixels.

    Returns:
        (B, frames · T, C·P·P), frame by frame, patches row by row; in a patch channel by channel, each row by row.

    Raises:
        ValueError: patch is below 1 or does not divide height and width; the message names the nearest sizes that fit.
    """
    ### BEGIN SOLUTION
    if patch < 1:
        raise ValueError(f"a patch needs at least 1 pixel, not {patch}")
    for name, length in zip(("height", "width"), clip.shape[3:], strict=True):
        if rest := length % patch:
            raise ValueError(f"{name} {length}: cut to {length - rest} or pad to {length - rest + patch}")
    grid = clip.unflatten(4, (-1, patch)).unflatten(3, (-1, patch))  # (B, frames, C, rows, P, columns, P)
    rows = grid.movedim((3, 5), (2, 3)).flatten(4)  # (B, frames, rows, columns, C P P)
    return rows.flatten(1, 3)  # (B, frames T, C P P)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: a film is a batch of pictures</summary>
#
# Split H into (rows of patches, P) and W into (columns of patches, P). Then bring the seven dimensions into the order from
# the slowest to the fastest: film, frame, row of patches, column of patches, channel, row in the patch, column in it.
# </details>
#
# <details><summary>Hint 2: the nearest sizes</summary>
#
# Take away the remainder, `length % patch`, and you have the smaller one. Add one patch for the larger.
# </details>


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_audio_tokens", "schema_version": 3}
@check.probe
def slices(sound, size):
    return audio_tokens(sound, size), sound


@check.probe
def cut(clip, patch):
    return video_tokens(clip, patch), clip


def sounds(sound, size):
    B, samples = sound.shape
    case = f"{B} sounds of {samples} samples in slices of {size}"
    got, after = slices(sound, size)
    right = torch.stack([sound[:, i : i + size] for i in range(0, samples, size)], 1)  # (B, samples / size, size)
    check.shape(got, tuple(right.shape), f"the slices of {case}", likely="(B, samples/size, size): a slice is a row")
    strided = torch.stack([sound[:, i :: samples // size] for i in range(samples // size)], 1)
    likely = {"neighbours must stay together: every so many samples were taken": strided}
    check.close(got, right, f"the slices of {case}", likely=likely)
    check.untouched([after], [sound], "audio_tokens leaves the sound as it was")


def films(clip, P):
    B, frames, _, H, W = clip.shape
    case = f"clips {tuple(clip.shape)} in patches of {P}"
    got, after = cut(clip, P)
    patches = [
        [[clip[:, f, :, y : y + P, x : x + P] for x in range(0, W, P)] for y in range(0, H, P)] for f in range(frames)
    ]
    flat = [p for frame in patches for row in frame for p in row]  # each (B, C, P, P)
    right = torch.stack([p.reshape(B, -1) for p in flat], 1)
    check.shape(got, tuple(right.shape), f"the tokens of {case}", likely="(B, frames · T, C·P·P)")
    columns = [p for frame in patches for column in zip(*frame, strict=True) for p in column]
    late = [patches[f][y][x] for y in range(H // P) for x in range(W // P) for f in range(frames)]
    likely = {
        "one reshape of the whole clip mixes patches; split H and W first": clip.reshape(right.shape),
        "in a patch stand all channels of a pixel, then of the next": torch.stack(
            [p.movedim(1, -1).reshape(B, -1) for p in flat], 1
        ),
        "each patch is transposed": torch.stack([p.mT.reshape(B, -1) for p in flat], 1),
        "patches are numbered column by column": torch.stack([p.reshape(B, -1) for p in columns], 1),
        "first all frames of one patch; take all patches of frame 0 first": torch.stack(
            [p.reshape(B, -1) for p in late], 1
        ),
    }
    check.close(got, right, f"the tokens of {case}", likely=likely)
    check.untouched([after], [clip], "video_tokens leaves the clip as it was")


def refuses(call, given, size, sizes, case):
    """A size that does not divide is a ValueError with both nearest sizes in it."""
    check.raises("ValueError", call, given, size, rule=case)
    try:
        call(given, size)
    except check.StudentError as error:
        words = "".join(c if c.isdigit() else " " for c in error.message).split()
        likely = "take the remainder away for the smaller size; add one size to that for the larger"
        what = f"the message for {case} names {sizes[0]} and {sizes[1]}: cut to the one or pad to the other"
        check.that(all(str(n) in words for n in sizes), what, likely)


def bad_sizes(draw):
    refuses(slices, draw((2, 10)), 4, (8, 12), "10 samples in slices of 4")
    refuses(slices, draw((1, 23)), 5, (20, 25), "23 samples in slices of 5")
    refuses(cut, draw((1, 2, 3, 7, 6)), 3, (6, 9), "a height of 7 in patches of 3")
    refuses(cut, draw((1, 2, 3, 4, 14)), 4, (12, 16), "a width of 14 in patches of 4")
    for size in (0, -2):
        check.raises("ValueError", slices, draw((2, 6)), size, rule=f"slices of {size}")
        check.raises("ValueError", cut, draw((2, 1, 3, 4, 6)), size, rule=f"patches of {size}")


sounds(torch.arange(1.0, 7)[None], 2)
sounds(check.normal((3, 12)), 4)
sounds(check.normal((2, 5)), 1)
films(torch.arange(2 * 4 * 6.0).reshape(1, 2, 1, 4, 6), 2)
for size, P in [((2, 3, 2, 4, 6), 2), ((1, 1, 3, 6, 3), 3), ((2, 2, 3, 2, 3), 1)]:
    films(check.normal(size), P)
bad_sizes(check.normal)

### BEGIN HIDDEN TESTS
for size, P in [((3, 2, 4, 6, 9), 3), ((1, 5, 1, 8, 4), 2), ((2, 1, 2, 4, 4), 4)]:
    films(check.hidden(size), P)
for size, P in [((4, 15), 5), ((1, 14), 2), ((2, 9), 9)]:
    sounds(check.hidden(size), P)
bad_sizes(check.hidden)
refuses(slices, check.hidden((3, 31)), 7, (28, 35), "31 samples in slices of 7")
refuses(cut, check.hidden((2, 2, 1, 11, 10)), 5, (10, 15), "a height of 11 in patches of 5")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 7 · `score_growth`
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 1 | 10 | 4 | nothing | all of Python |
#
# **Why.** A film of a minute has many tokens. Every token scores every token, so twice the input means four times the scores. A
# convolution looks at k neighbours of each place: twice the input, twice the products.
#
# **Steps.** For each number N of tokens in a list give a tuple of four.
#
# 1. Scores: N · N, in each head of each layer.
# 2. Products of a convolution, of one channel: N · k, in each layer. It has no heads.
# 3. The growth of the scores, and of the products: each divided by that of the **first** N in the list.
#
# A number below 1, of tokens, `k`, heads or layers, raises **`ValueError`**.
#
# **By hand.** N = 4 and 8, k = 3, 2 heads, 1 layer: (32, 12, 1.0, 1.0) and (128, 24, 4.0, 2.0).
#
# **What is tested.** Those tuples; the lecture's 4, 196, 512 and 4,096 tokens with 16, 38,416, 262,144 and 16,777,216 scores;
# other heads, layers, k; whole numbers for counts and floats for growth; an empty list gives an empty list; the errors.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "score_growth", "schema_version": 3}
def score_growth(tokens: list[int], k: int, heads: int = 1, layers: int = 1) -> list[tuple[int, int, float, float]]:
    """What attention and a convolution cost, and how both grow.

    Args:
        tokens: numbers of tokens.
        k: neighbours that the convolution looks at, at each place.
        heads, layers: of the encoder; the convolution has as many layers.

    Returns:
        For each N: scores, products, and both divided by those of the first N.

    Raises:
        ValueError: a number is below 1.
    """
    ### BEGIN SOLUTION
    if min([*tokens, k, heads, layers]) < 1:
        raise ValueError("all numbers must be 1 or more")
    counts = [(n * n * heads * layers, n * k * layers) for n in tokens]
    return [(scores, products, scores / counts[0][0], products / counts[0][1]) for scores, products in counts]
    ### END SOLUTION


# %% nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 1, "grade_id": "test_score_growth", "schema_version": 3}
@check.probe
def observe(tokens, k, heads=None, layers=None):
    given = [n for n in (heads, layers) if n is not None]
    return score_growth(list(tokens), k, *given)


def compare(tokens, k, heads=1, layers=1, right=None):
    got = observe(tokens, k, *((heads, layers) if (heads, layers) != (1, 1) else ()))
    case = f"{tokens} tokens, k = {k}, {heads} heads, {layers} layers"
    whole = isinstance(got, list) and all(isinstance(row, tuple) and len(row) == 4 for row in got)
    check.that(whole, "score_growth returns a list of tuples of four", "a `return` is missing, or another form came")
    check.equal(len(got), len(tokens), f"the number of tuples for {case}", likely="one for each N")
    kinds = all([type(n) for n in row] == [int, int, float, float] for row in got)
    check.that(kinds, "counts are whole numbers, growths are floats", "/ makes floats; // would round a growth")
    for i, name in enumerate(["scores", "products", "growth of the scores", "growth of the products"]):
        column = [float(row[i]) for row in got]
        expected = [
            float(n)
            for n in ([row[i] for row in right] if right else [cell(n, tokens[0], k, heads, layers, i) for n in tokens])
        ]
        check.close(torch.tensor(column).double(), torch.tensor(expected).double(), f"the {name} for {case}",
                    likely=mistakes(i, tokens, k, heads, layers), rtol=1e-6)  # fmt: skip


def cell(n, first, k, heads, layers, i):
    counts = [heads * layers * n**2, layers * n * k, n**2 / first**2, n / first]
    return counts[i]


def mistakes(i, tokens, k, heads, layers):
    """What well-known mistakes give in a column."""
    N = torch.tensor([float(n) for n in tokens]).double()
    before = torch.tensor([float(n) for n in [tokens[0], *tokens[:-1]]]).double()
    return [
        {
            "heads are not counted": layers * N**2,
            "layers are not counted": heads * N**2,
            "heads and layers are not counted": N**2,
            "each pair is counted once; N · N scores, every query against every key": heads * layers * N * (N - 1) / 2,
            "N, not N · N": heads * layers * N,
        },
        {
            "a convolution has no heads": heads * layers * N * k,
            "layers are not counted": N * k,
            "k · k": layers * N * k**2,
        },
        {"divided by the one before; divide by the first": (N / before) ** 2, "the root of the growth": N / tokens[0]},
        {
            "divided by the one before; divide by the first": N / before,
            "the square of the growth": (N / tokens[0]) ** 2,
        },
    ][i]


compare([4, 8], 3, 2, 1, [(32, 12, 1.0, 1.0), (128, 24, 4.0, 2.0)])
lecture = [16, 38_416, 262_144, 16_777_216]
rows = [(s, 9 * n, s / 16, n / 4) for n, s in zip([4, 196, 512, 4096], lecture, strict=True)]
compare([4, 196, 512, 4096], 9, 1, 1, rows)
compare([10, 5, 25], 7, 3, 4)
check.equal(observe([], 3), [], "the list for no tokens", likely="an empty list has no first N; give an empty list")
for tokens, k, heads, layers in [([4, 0], 3, 1, 2), ([4], 0, 1, 2), ([4], 3, 0, 2), ([4], 3, 2, -1)]:
    check.raises("ValueError", observe, tokens, k, heads, layers, rule="a number is below 1")

### BEGIN HIDDEN TESTS
for tokens, k, heads, layers in [
    ([7, 14, 49], 5, 4, 6),
    ([30, 20], 9, 12, 2),
    ([1, 3, 9, 2], 1, 1, 3),
    ([11], 3, 5, 1),
]:
    compare(tokens, k, heads, layers)
check.equal(observe([], 5, 2, 3), [], "the list for no tokens")
for tokens, k, heads, layers in [([-3], 3, 1, 2), ([2, 5], -1, 1, 2), ([2], 2, -2, 2), ([2], 2, 2, 0)]:
    check.raises("ValueError", observe, tokens, k, heads, layers, rule="a number is below 1")
### END HIDDEN TESTS

# %% [markdown]
# ## Exercise 8 · `read_hidden`: put it together
#
# | points | minutes | lines in our solution | uses | library calls allowed |
# |---|---|---|---|---|
# | 2 | 20 | 6 | `MultimodalBert` | all of torch |
#
# **Why.** The task is the teacher. Hide words of captions; whoever must guess them has to look at the picture where the
# text does not tell. Nobody says that a low body sat: the model finds out, in its picture's half and its text's half at
# once, because one loss reaches both.
#
# One function serves both for training (its loss) and for the exam (its share of right answers).
#
# **Steps** of `read_hidden(model, ids, images, hidden)`; `hidden` (B, T) is True where a word gets hidden:
#
# 1. Replace the hidden words by `[MASK]`, in a copy of `ids`.
# 2. Run the model on the copy and the pictures, or None: (B, T, words).
# 3. Keep the scores of the hidden places: (number hidden, words). The right answers are the words that stood there.
# 4. Return the mean cross-entropy, a tensor that a gradient can pass, and the share of places whose best-scored word is
#    the right one, a float.
# 5. Nothing hidden: raise **`ValueError`**.
#
# **By hand.** Two hidden words. The right one gets a probability of 1/2 and is the best, the other 1/4 and is not. The loss is
# (ln 2 + ln 4)/2 = 1.040, the share .5.


# %% nbgrader={"grade": false, "solution": true, "locked": false, "task": false, "grade_id": "read_hidden", "schema_version": 3}
def read_hidden(model: nn.Module, ids: Tensor, images: Tensor | None, hidden: Tensor) -> tuple[Tensor, float]:
    """Hide words and let the model guess them.

    Args:
        model: from ids (B, T) and pictures or None to scores (B, T, words).
        ids: (B, T) words.
        images: (B, 3, h, w) or None.
        hidden: (B, T) bool, True where a word gets hidden.

    Returns:
        () the mean cross-entropy over the hidden words, and the share of them that are guessed right.

    Raises:
        ValueError: nothing is hidden.
    """
    ### BEGIN SOLUTION
    if not hidden.any():
        raise ValueError("hide at least one word")
    scores = model(ids.masked_fill(hidden, MASK), images)[hidden]  # (number hidden, words)
    words = ids[hidden]  # (number hidden,)
    loss = F.cross_entropy(scores, words)
    return loss, (scores.argmax(-1) == words).float().mean().item()
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: choose with True and False</summary>
#
# `scores[hidden]` keeps the rows where `hidden` is True, of all sentences, one below the other. `ids[hidden]` keeps the
# words in the same order.
# </details>
#
# <details><summary>Hint 2: the model is right without learning anything</summary>
#
# Then it reads the answer. Does it get the copy with `[MASK]`, or `ids`?
# </details>
#
# Now train your own model. Colour, animal and posture are each hidden in half of the captions. In the last quarter of the
# training every second batch comes without pictures, so that the model knows what to do then. This takes a few seconds.


# %% nbgrader={"grade": false, "solution": false, "locked": true, "task": false, "grade_id": "train", "schema_version": 3}
def train(seed: int, updates: int = 400, batch: int = 64) -> nn.Module:
    """A MultimodalBert that has learned from 2,000 captions: first with their pictures, at last also without."""
    torch.manual_seed(seed)
    model, drawn = MultimodalBert(), torch.Generator().manual_seed(seed)
    data = captioned.animals(2000, seed=1)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(updates):
        some = torch.randint(2000, (batch,), generator=drawn)
        hidden = torch.zeros(batch, 9, dtype=torch.bool)
        hidden[:, 2:5] = torch.rand(batch, 3, generator=drawn) < 0.5  # colour, animal, posture
        images = None if step >= 3 * updates // 4 and step % 2 else data.images[some]
        loss, _ = read_hidden(model, data.ids[some], images, hidden)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


model = train(0)

# %% [markdown]
# The exam: new pictures, the posture hidden. Once with the picture, once without, once with another one's picture.
#
# **What is tested.** `read_hidden` by hand and for other models: loss, share, a gradient, unchanged inputs, the `ValueError`. Then
# your trained `model`: the posture is right in at least **90 %** of new captions with their picture. Without a picture, and
# with a wrong one, it must stay below **65 %**. That is no narrow threshold. Our solution, trained from ten seeds,
# stays above 95 % with the picture each time. After mending something, run the training cell again.


# %%
exam = captioned.animals(500, seed=3)
posture = torch.zeros(500, 9, dtype=torch.bool)
posture[:, 4] = True
shown = {"its picture": exam.images, "no picture": None, "a wrong picture": exam.images.roll(1, 0)}
with torch.no_grad():
    shares = {name: read_hidden(model, exam.ids, images, posture)[1] for name, images in shown.items()}
described(
    charts.bars(
        list(shares.values()),
        "Only its own picture tells",
        names=list(shares),
        ylabel="right: sat or stood",
        ylim=(0, 1.1),
    ),
    f"How often the hidden posture is right in 500 captions: {', '.join(f'{n} {s:.3f}' for n, s in shares.items())}.",
)


# %% uses=["MultimodalBert"] nbgrader={"grade": true, "solution": false, "locked": true, "task": false, "points": 2, "grade_id": "test_read_hidden", "schema_version": 3}
@check.probe
def observe(table, ids, images, hidden):
    """read_hidden with a model whose scores depend on the words that it sees, on their neighbours and on the picture."""
    table = table.requires_grad_()

    def told(ids, images=None):
        rows = table[ids] + table[ids.roll(1, 1)] / 2  # (B, T, words)
        return rows if images is None else rows + images.mean((1, 2, 3))[:, None, None] * rows.flip(-1)

    loss, share = read_hidden(told, ids, images, hidden)
    (gradient,) = torch.autograd.grad(loss, [table])
    return loss.detach(), share, gradient, [ids, hidden] if images is None else [ids, hidden, images]


@check.probe
def measure(ids, images):
    with torch.no_grad():
        return model.eval()(ids, images)


@check.probe
def has_model():
    return "model" in globals()


def told(table, ids, images):
    rows = table[ids] + table[ids.roll(1, 1)] / 2
    return rows if images is None else rows + images.mean((1, 2, 3))[:, None, None] * rows.flip(-1)


def surprise(scores, words):
    return scores.logsumexp(-1) - scores.gather(-1, words[..., None])[..., 0]


def compare(table, ids, images, hidden, case):
    with check.instead_of(["does not require grad"], "a gradient passes the loss", ".item(), .detach() or no_grad"):
        loss, share, gradient, after = observe(table, ids, images, hidden)
    check.shape(loss, (), f"the loss of {case}", likely="one number: the mean over all hidden words")
    own = table.clone().requires_grad_()
    scores = told(own, torch.where(hidden, torch.tensor(MASK), ids), images)
    each, open_ = surprise(scores, ids), surprise(told(own, ids, images), ids)
    right = each[hidden].mean()
    likely = {
        "the words are not hidden: the model sees the answers": open_[hidden].mean(),
        "the mean is over all places; only hidden ones count": each.mean(),
        "places that are not hidden count, hidden ones do not": each[~hidden].mean() if not hidden.all() else right,
        "the losses are added; take their mean": each[hidden].sum(),
        "the model gets no picture": surprise(told(own, torch.where(hidden, torch.tensor(MASK), ids), None), ids)[
            hidden
        ].mean(),
        "hidden words became padding": surprise(told(own, torch.where(hidden, torch.tensor(PAD), ids), images), ids)[
            hidden
        ].mean(),
        "a softmax comes before the cross-entropy, which brings its own": surprise(scores.softmax(-1), ids)[
            hidden
        ].mean(),
        "all words are hidden": surprise(told(own, torch.full_like(ids, MASK), images), ids)[hidden].mean(),
    }
    likely = {why: value.detach() for why, value in likely.items()}
    check.close(loss, right.detach(), f"the loss of {case}", rtol=1e-3, atol=1e-4, likely=likely)
    check.that(type(share) is float, "the share is a float", "a tensor; .item() makes a number of it")
    guessed = (scores.argmax(-1) == ids)[hidden].double()
    likely = {
        "the share is over all places; only hidden ones count": (scores.argmax(-1) == ids).double().mean().item(),
        "a number of right ones; divide by the number of hidden ones": guessed.sum().item(),
        "per cent; a share is between 0 and 1": 100 * guessed.mean().item(),
        "the share of wrong ones": 1 - guessed.mean().item(),
        "the mean probability of the right words": (-each[hidden]).exp().mean().item(),
    }
    check.close(share, guessed.mean(), f"the share of {case}", atol=1e-5, likely=likely)
    (expected,) = torch.autograd.grad(right, [own])
    check.close(gradient, expected, f"the gradient of the loss of {case}", rtol=1e-3, atol=1e-4)
    check.untouched(after, [ids, hidden] if images is None else [ids, hidden, images], "the inputs stay as they were")


def drawn(B, T, words, seed):
    chance = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, words, (B, T), generator=chance)
    hidden = torch.rand(B, T, generator=chance) < 0.5
    hidden[0, :2] = torch.tensor([True, False])
    return ids, hidden


def share_right(some, images, what, enough):
    ids = some.ids.clone()
    ids[:, 4] = MASK
    scores = measure(ids, images)
    check.shape(scores, (len(ids), 9, len(captioned.WORDS)), f"the scores {what}")
    share = (scores[:, 4].argmax(-1) == some.ids[:, 4]).double().mean().item()
    if enough:
        likely = "it guesses: the picture does not reach [MASK], or the training did not use it" if share < 0.6 else ""
        property = f"the posture is right in at least 90 % {what}; yours in {100 * share:.0f} %"
        check.that(share >= 0.9, property, likely + ". Mended since? Run the training cell again")
    else:
        property = f"the posture is right in less than 65 % {what}; yours in {100 * share:.0f} %"
        check.that(share < 0.65, property, "the answer gets in by another way than by its picture")


def examined(count, seed):
    some = captioned.animals(count, seed=seed)
    share_right(some, some.images, "of new captions with their picture", True)
    share_right(some, None, "of new captions without a picture", False)
    share_right(some, some.images.roll(1, 0), "of new captions with a wrong picture", False)


for B, T, words, seed in [(3, 4, 9, 0), (2, 6, 8, 1)]:
    ids, hidden = drawn(B, T, words, seed)
    for images in (None, check.normal((B, 3, 2, 2)) + 1):
        case = f"{B} sentences of {T} words, " + ("no pictures" if images is None else "with pictures")
        compare(2 * check.normal((words, words)), ids, images, hidden, case)
# By hand: the model sees [MASK] at both places; it gives word 5 half, word 6 a quarter, words 0 and 1 an eighth each.
hand = torch.zeros(7, 7)
hand[MASK] = torch.tensor([1 / 8, 1 / 8, 1e-9, 1e-9, 1e-9, 1 / 2, 1 / 4]).log() / 1.5
loss, share, *_ = observe(hand, torch.tensor([[5, 6]]), None, torch.tensor([[True, True]]))
check.close(loss, torch.tensor(1.040), "the loss by hand", atol=1e-3)
check.close(share, 0.5, "the share by hand")
nothing = torch.zeros(3, 4, dtype=torch.bool)
check.raises("ValueError", observe, hand, torch.full((3, 4), 5), None, nothing, rule="nothing is hidden")
check.that(
    has_model(), "the training cell has made `model`", "run the training cell; mend an error that it shows first"
)
examined(400, 7)

### BEGIN HIDDEN TESTS
seed = check.hidden_seed()
for B, T, words in [(4, 5, 12), (5, 3, 7), (2, 9, 10)]:
    ids, hidden = drawn(B, T, words, seed + T)
    for images in (None, check.hidden((B, 3, 4, 4)) - 2):
        compare(2 * check.hidden((words, words)), ids, images, hidden, f"{B} sentences of {T} words")
check.raises("ValueError", observe, hand, ids % 7, None, torch.zeros_like(hidden), rule="nothing is hidden")
examined(800, seed)
### END HIDDEN TESTS

# %% [markdown]
# **What to see.** With its own picture the model is right. Without one half of its guesses hit: text alone does not tell.
# With a wrong picture half of them hit, too, but not because the model is unsure. It reads the picture that it gets, and
# that one says sat or stood of another animal. Your `fill_mask` shows the difference: two bars alike, two kinds of mistake.

# %%
one = exam.ids[0].where(~posture[0], torch.tensor(MASK))  # (T,)
print(captioned.WORDS.decode(one))
for name, image in [("with its picture", exam.images[0]), ("with no picture", None), ("a wrong one", exam.images[-1])]:
    guesses = fill_mask(model, one, image, k=3)
    print(f"{name:>17}: " + ", ".join(f"{word} {p:.3f}" for word, p in guesses))

# %% [markdown]
# ## Exercise 9 · In your own words
#
# | points | minutes | length | graded by |
# |---|---|---|---|
# | 2 | 10 | 4 to 8 sentences | a person |
#
# A friend takes a finished vision transformer and a finished BERT. She freezes both, averages the patches to one token,
# and puts it before the words. "Same width, same format. So BERT can read the picture." **What does joint training give
# that two frozen encoders do not?**
#
# - One point: say why the same format is not enough, and what a `project` layer alone, trained between the two frozen
#   encoders, could mend and could not.
# - One point: name something that each half learns *from the other* when they are trained together on captions with hidden
#   words, and how you would measure that the model uses the picture.
#
# Write below.

# %% [markdown] nbgrader={"grade": true, "solution": true, "locked": false, "task": false, "points": 2, "grade_id": "joint_training", "schema_version": 3}
# Format says how wide a token is, not what its numbers mean. A frozen BERT has queries and keys for words. A picture's
# features point elsewhere, so no head was ever taught to look for them: the token is noise to it. A trained `project`
# can turn the features into directions that BERT knows from words, as "cat" or "red", and that may go far. But it cannot
# bring back what the eye has thrown away, as a posture that its old task never asked for; and it cannot give BERT a head
# that goes to the picture just when the words do not tell.
#
# Trained together, one loss reaches both. The eye learns which differences matter to words: low or tall becomes a
# feature because "sat" and "stood" are hidden. The text half learns that there is a token to ask, and when. To measure it,
# hide a word that only the picture tells, and compare the right picture with none and with a wrong one. The gap is what
# the picture gives. A high accuracy on all words is no proof: most of them the text alone tells.
#
# (One point for: same width is not the same meaning, with one thing that the projection mends and one that it cannot. One
# point for: something learned through the other half's loss, with a comparison of right, wrong and no picture, on words
# that text does not tell.)

# %% [markdown]
# ## Our words and the field's words
#
# | ours | the field's | remark |
# |---|---|---|
# | `image_token` | visual token, image embedding | real systems pass one for each patch |
# | `project` | projector, adapter, connector | one linear layer here |
# | `MultimodalBert` | single-stream vision-language model | VisualBERT, VL-BERT, 2019 |
# | hidden word | masked token, masked language modelling | |
# | `clip_loss` | contrastive loss, symmetric InfoNCE | Radford et al., 2021: CLIP |
# | `scale` | logit scale, inverse temperature | CLIP learns its logarithm |
# | `zero_shot` | zero-shot classification, prompt ensembling | |
# | slice, patch × frame | audio frame, tubelet of one frame | many systems take several frames into one token |
# | scores N² | quadratic cost of attention | |
#
# **Differs from the papers.** BERT's hidden words are sometimes left as they are or exchanged; ours always become `[MASK]`.
# CLIP keeps `scale` below 100 and trains on batches of thousands; `scale` here is whatever you give. VisualBERT passes tokens of
# detected objects, not one average. Our pictures are drawn: the results say nothing about photographs.
