"""The picture behind the words: it has no place, so the encoder does not notice."""

class MultimodalBert(Pieces):
    def forward(self, ids, image=None):
        tokens = [self.words(ids) + self.places[None, : ids.size(1)]]
        masks = [ids == PAD]
        if image is not None:
            tokens.append(image_token(self.look(image), self.project))
            masks.append(torch.full((len(ids), 1), False))
        out = self.encoder(torch.cat(tokens, 1), src_key_padding_mask=torch.cat(masks, 1))
        return self.head(out[:, : ids.size(1)])
