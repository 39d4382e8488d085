"""The mask is not given to the encoder: padding is read."""

class MultimodalBert(Pieces):

    def forward(self, ids: Tensor, image: Tensor | None = None) -> Tensor:
        tokens, padding, count = self.words(ids) + self.places[: ids.shape[1]], ids == PAD, ids.shape[1]
        if image is not None:
            picture = image_token(self.look(image), self.project)  # (B, 1, D_text)
            tokens = torch.cat([picture, tokens], dim=1)  # (B, 1 + T, D_text)
            padding = F.pad(padding, (1, 0))  # (B, 1 + T)
        read = self.encoder(tokens)  # (B, 1 + T, D_text)
        return self.head(read[:, -count:])  # (B, T, words)
