"""A mask of minus infinity and zero."""

class MultimodalBert(Pieces):
    def __init__(self, *args, **sizes):
        super().__init__(*args, **sizes)

    def forward(self, ids, image=None):
        x = F.embedding(ids, self.words.weight) + self.places[torch.arange(ids.shape[1])]
        mask = torch.zeros(ids.shape).masked_fill(ids == PAD, -math.inf)
        first = 0
        if image is not None:
            first = 1
            x = torch.cat([image_token(self.look(image), self.project), x], dim=1)
            mask = torch.cat([torch.zeros(len(ids), 1), mask], dim=1)
        x = self.encoder(x, src_key_padding_mask=mask)
        return self.head(x[:, first:])
