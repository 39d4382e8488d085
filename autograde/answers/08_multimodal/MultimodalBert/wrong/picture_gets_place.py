"""The picture's token gets the first row of places. Only words have one."""

class MultimodalBert(Pieces):

    def forward(self, ids: Tensor, image: Tensor | None = None) -> Tensor:
        tokens, padding, count = self.words(ids) + self.places[: ids.shape[1]], ids == PAD, ids.shape[1]
        if image is not None:
            picture = image_token(self.look(image), self.project) + self.places[0]  # (B, 1, D_text)
            tokens = torch.cat([picture, tokens], dim=1)  # (B, 1 + T, D_text)
            padding = F.pad(padding, (1, 0))  # (B, 1 + T)
        read = self.encoder(tokens, src_key_padding_mask=padding)  # (B, 1 + T, D_text)
        return self.head(read[:, -count:])  # (B, T, words)
