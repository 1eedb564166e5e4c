"""Draws the eleven avatars into web/assets/avatars: `make avatars`. The result is always the same."""

from pathlib import Path

from PIL import Image, ImageDraw

FOLDER = Path(__file__).resolve().parents[2] / "web" / "assets" / "avatars"
# The length of a side in pixels. Pictures are drawn larger and scaled down, which smooths the edges.
SIZE = 256
SCALE = 4
# The largest size of a file in bytes.
LARGEST = 12_000
INK = "#2b2730"

# The colours of background, skin, hair and clothes, the hair style, and whether there are glasses.
PEOPLE = [
    ("#ffd9a0", "#f2b48a", "#4a2c20", "#2f6f8f", "short", False),
    ("#b9e3d0", "#8a5a3c", "#1f1a1c", "#d9643a", "curly", False),
    ("#c9d6ff", "#ffd2b3", "#c4682b", "#4b8b5a", "long", False),
    ("#ffc9c9", "#c98a5e", "#2d2226", "#5a4ea0", "bun", True),
    ("#dff0a8", "#ffdcc2", "#e2b13c", "#b5476b", "bob", False),
    ("#cdeef5", "#6b4630", "#17141a", "#e0a93b", "flat", True),
    ("#e6d3f5", "#e8b48c", "#8c8c95", "#37597a", "bald", True),
    ("#ffe7b8", "#b9764a", "#3a1f17", "#3c8f88", "beard", False),
    ("#d3e9c5", "#f6c8a6", "#7b3f2a", "#8f4f9e", "braids", False),
    ("#f9d5e5", "#dba27b", "#5c3b74", "#d4574e", "fringe", False),
]


class Picture:
    """A square canvas. Coordinates are in percent of its side."""

    def __init__(self, background: str):
        self.side = SIZE * SCALE
        self.image = Image.new("RGB", (self.side, self.side), background)
        self.pen = ImageDraw.Draw(self.image)

    def _box(self, *units: float) -> list[float]:
        return [unit * self.side / 100 for unit in units]

    def oval(self, left: float, top: float, right: float, bottom: float, colour: str):
        self.pen.ellipse(self._box(left, top, right, bottom), fill=colour)

    def ring(self, left: float, top: float, right: float, bottom: float):
        self.pen.ellipse(self._box(left, top, right, bottom), outline=INK, width=self.side * 14 // 1000)

    def block(self, left: float, top: float, right: float, bottom: float, colour: str, radius: float = 0):
        self.pen.rounded_rectangle(self._box(left, top, right, bottom), radius * self.side / 100, fill=colour)

    def slice(self, left: float, top: float, right: float, bottom: float, start: int, end: int, colour: str):
        self.pen.pieslice(self._box(left, top, right, bottom), start, end, fill=colour)

    def bow(self, left: float, top: float, right: float, bottom: float, start: int, end: int):
        self.pen.arc(self._box(left, top, right, bottom), start, end, fill=INK, width=self.side * 16 // 1000)

    def line(self, left: float, top: float, right: float, bottom: float):
        self.pen.line(self._box(left, top, right, bottom), fill=INK, width=self.side * 14 // 1000)

    def save(self, name: str):
        path = FOLDER / f"{name}.jpeg"
        small = self.image.resize((SIZE, SIZE), Image.Resampling.LANCZOS)
        small.save(path, "JPEG", quality=82, optimize=True, progressive=True)
        assert path.stat().st_size <= LARGEST, f"{path} has {path.stat().st_size} bytes"


def behind(picture: Picture, style: str, hair: str):
    """The hair that the head covers."""
    if style == "long":
        picture.block(26, 30, 74, 84, hair, 20)
    elif style == "bob":
        picture.block(25, 26, 75, 66, hair, 20)
    elif style == "curly":
        for x, y in [(26, 36), (24, 48), (29, 26), (38, 19), (50, 16), (62, 19), (71, 26), (76, 48), (74, 36)]:
            picture.oval(x - 10, y - 10, x + 10, y + 10, hair)
    elif style == "bun":
        picture.oval(40, 6, 60, 26, hair)
    elif style == "braids":
        for x in (25, 75):
            for y in (50, 60, 70):
                picture.oval(x - 6, y - 6, x + 6, y + 6, hair)


def before(picture: Picture, style: str, hair: str):
    """The hair in front of the head."""
    if style in ("short", "long", "bun", "braids", "bob"):
        picture.slice(29, 18, 71, 62, 180, 360, hair)
    if style in ("long", "bob"):
        picture.slice(27, 15, 73, 60, 180, 360, hair)
    elif style == "short":
        picture.slice(44, 18, 76, 50, 180, 330, hair)
    elif style == "flat":
        picture.block(30, 17, 70, 33, hair, 4)
    elif style == "fringe":
        picture.slice(27, 14, 73, 66, 180, 360, hair)
        picture.block(31, 34, 69, 42, hair, 3)
    elif style == "curly":
        picture.oval(40, 12, 60, 28, hair)
        for x in (36, 44, 52, 60, 66):
            picture.oval(x - 7, 20, x + 7, 34, hair)
    elif style == "beard":
        picture.slice(29, 18, 71, 60, 180, 360, hair)
        picture.slice(30, 34, 70, 76, 0, 180, hair)
        picture.oval(40, 53, 60, 66, "#7a3b35")


def face(picture: Picture, style: str, glasses: bool):
    """Eyes, mouth and glasses."""
    for x in (41, 59):
        picture.oval(x - 2.2, 44, x + 2.2, 49.5, INK)
        if glasses:
            picture.ring(x - 7.5, 39.5, x + 7.5, 54.5)
    if glasses:
        picture.line(48.5, 46, 51.5, 46)
    if style == "beard":
        picture.block(43, 54, 57, 58, "#ffffff", 2)
    else:
        picture.bow(42, 48, 58, 63, 25, 155)


def person(name: str, background: str, skin: str, hair: str, clothes: str, style: str, glasses: bool):
    picture = Picture(background)
    behind(picture, style, hair)
    picture.oval(14, 76, 86, 130, clothes)
    picture.block(43, 62, 57, 82, skin, 6)
    picture.oval(25, 43, 33, 54, skin)
    picture.oval(67, 43, 75, 54, skin)
    picture.oval(30, 20, 70, 74, skin)
    before(picture, style, hair)
    face(picture, style, glasses)
    picture.save(name)


def nobody(name: str):
    picture = Picture("#d5dae1")
    picture.oval(16, 68, 84, 130, "#8b95a5")
    picture.oval(32, 20, 68, 62, "#8b95a5")
    picture.save(name)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, look in enumerate(PEOPLE, start=1):
        person(f"{number:02}", *look)
    nobody("default")


if __name__ == "__main__":
    main()
