"""The picture's column of the mask is made of floats, so the whole mask is: floats are added to the scores. Make it bool."""

class MultimodalBert(Pieces):

    def forward(self, ids: Tensor, image: Tensor | None = None) -> Tensor:
        tokens, padding, count = self.words(ids) + self.places[: ids.shape[1]], ids == PAD, ids.shape[1]
        if image is not None:
            picture = image_token(self.look(image), self.project)  # (B, 1, D_text)
            tokens = torch.cat([picture, tokens], dim=1)  # (B, 1 + T, D_text)
            padding = torch.cat([torch.zeros(len(ids), 1), padding], dim=1)  # (B, 1 + T)
        read = self.encoder(tokens, src_key_padding_mask=padding)  # (B, 1 + T, D_text)
        return self.head(read[:, -count:])  # (B, T, words)
