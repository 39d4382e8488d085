"""Projected first, then averaged: a linear layer does not care."""

def image_token(features, project):
    if not features.shape[1]:
        raise ValueError("no patch")
    return project(features).mean(dim=1)[:, None]
