import numpy as np
import pytest
from scipy.io import savemat

from ecoc.utils.exceptions import DataError
from ecoc_paper import datasets
from ecoc_paper.datasets.ar_faces import HEIGHT, WIDTH, read_ar_faces


def write_folder(folder, persons=3, pictures=4):
    from matplotlib.image import imsave

    rng = np.random.default_rng(0)
    for person in range(1, persons + 1):
        sex = "m" if person % 2 else "w"
        (folder / sex).mkdir(exist_ok=True)
        for picture in range(1, pictures + 1):
            image = np.clip(person / 10 + 0.1 * rng.random((165, 120)), 0, 1)
            imsave(folder / sex / f"{sex.upper()}-{person:03d}-{picture:02d}.png", image, cmap="gray", vmin=0, vmax=1)
    (folder / "readme.txt").write_text("not a face")


def test_a_folder_of_images(tmp_path):
    pytest.importorskip("matplotlib")
    write_folder(tmp_path)
    X, y = read_ar_faces(tmp_path)
    assert X.shape == (12, HEIGHT * WIDTH)
    assert sorted(set(y)) == ["m-001", "m-003", "w-002"]
    means = [X[y == person].mean() for person in ("m-001", "w-002", "m-003")]
    assert np.allclose(means, [0.15, 0.25, 0.35], atol=0.01)
    X, y = read_ar_faces(tmp_path, n_persons=2)
    assert set(y) == {"m-001", "m-003"}


@pytest.mark.parametrize("layout", ["columns", "rows", "indicator"])
def test_a_matlab_file(tmp_path, layout):
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 540)), np.repeat([1, 2, 3], 4)
    arrays = {
        "columns": {"features": X.T, "labels": y},
        "rows": {"features": X, "labels": y[:, None]},
        "indicator": {"featureMat": X.T, "labelMat": np.eye(3)[y - 1].T},
    }[layout]
    savemat(tmp_path / "ar.mat", arrays)
    found, labels = read_ar_faces(tmp_path / "ar.mat")
    assert np.array_equal(found, X)
    assert np.array_equal(np.unique(labels, return_inverse=True)[1], y - 1)


def test_the_loader_registers_as_a_data_set(tmp_path):
    pytest.importorskip("matplotlib")
    write_folder(tmp_path)
    datasets.register("arface", pca=5)(lambda: read_ar_faces(tmp_path))
    data = datasets.load("arface")
    assert data.X.shape[0] == 12
    assert data.card.pca == 5


def test_errors_say_what_is_missing(tmp_path):
    with pytest.raises(DataError, match="neither a folder"):
        read_ar_faces(tmp_path / "nowhere.zip")
    with pytest.raises(DataError, match="no image named like m-001-01"):
        read_ar_faces(tmp_path)
    savemat(tmp_path / "ar.mat", {"a": np.random.default_rng(0).random((5, 7))})
    with pytest.raises(DataError, match=r"no matrix of images .* it has a \(5, 7\)"):
        read_ar_faces(tmp_path / "ar.mat")
