"""The mask from a column of False; two ways in the code."""

class MultimodalBert(Pieces):
    def forward(self, ids, image=None):
        B, T = ids.shape
        x = self.words(ids) + self.places[:T]
        if image is None:
            return self.head(self.encoder(x, src_key_padding_mask=ids.eq(PAD)))
        x = torch.cat((image_token(self.look(image), self.project), x), 1)
        mask = torch.cat((torch.zeros(B, 1, dtype=torch.bool), ids.eq(PAD)), 1)
        return self.head(self.encoder(x, src_key_padding_mask=mask))[:, 1:]
