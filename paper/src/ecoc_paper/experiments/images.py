"""Filter, mask and equalise images, as the paper did with Traffic.

The paper names the steps and no parameters. Here the filter is Weickert's nonlinear diffusion, the mask is the largest
circle, and equalisation ranks the grey values within the mask.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ecoc_paper.datasets import Data, digest

Images = NDArray[np.float64]

_STEPS, _STEP = 10, 0.2  # of the diffusion; explicit steps below 0.25 are stable
_SIGMA = 1.0  # smoothing of the gradient, in pixels
_WEICKERT = 3.31488  # makes the flux largest at the contrast


def filtered(data: Data) -> Data:
    """Return a data set of square images after the three steps; its features are the pixels within the mask."""
    side = round(data.X.shape[1] ** 0.5)
    if side**2 != data.X.shape[1]:
        raise ValueError(
            f"{data.card.name} has {data.X.shape[1]} features, which is no square number of pixels; only square images "
            "can be filtered. Leave it out of the protocol's `filtered`."
        )
    images = diffused(data.X.reshape(-1, side, side).astype(np.float64))
    X = equalised(images[:, circle(side)])
    return replace(data, X=X, digest=digest(X, data.y))


def diffused(images: Images) -> Images:
    """Smooth within regions and not across edges: ∂u/∂t = div(g(|∇u_σ|²)∇u) with Weickert's diffusivity g."""
    from scipy.ndimage import gaussian_filter

    u = images.copy()
    for _ in range(_STEPS):
        smooth = gaussian_filter(u, (0, _SIGMA, _SIGMA), mode="nearest")
        down, right = np.gradient(smooth, axis=(1, 2))
        slope = down**2 + right**2
        contrast = np.median(slope, axis=(1, 2), keepdims=True) + 1e-12  # half of an image's pixels count as flat
        g = 1 - np.exp(-_WEICKERT / np.maximum(slope / contrast, 1e-3) ** 4)
        for axis in (1, 2):
            u += _STEP * _divergence(u, g, axis)
    return u


def _divergence(u: Images, g: Images, axis: int) -> Images:
    """Flow into each pixel from its two neighbours along an axis; nothing flows across the border."""
    flow = np.diff(u, axis=axis) * (
        np.take(g, range(1, g.shape[axis]), axis) + np.take(g, range(g.shape[axis] - 1), axis)
    )
    edge = [(0, 0)] * 3
    edge[axis] = (1, 1)
    return np.asarray(np.diff(np.pad(flow / 2, edge), axis=axis))


def circle(side: int) -> NDArray[np.bool_]:
    """Return the pixels of the largest circle in a square."""
    away = np.arange(side) - (side - 1) / 2
    return np.asarray(away[:, None] ** 2 + away**2 <= (side / 2) ** 2)


def equalised(pixels: Images) -> Images:
    """Replace each grey value by its rank in its image, from 0 to 1; equal values share a rank."""
    from scipy.stats import rankdata

    ranks = rankdata(pixels.round(6), axis=1)
    return np.asarray((ranks - 1) / (pixels.shape[1] - 1))
