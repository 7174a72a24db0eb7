// Saves an SVG text as a file: as it is, or painted into a canvas, twice as large, as PNG.
const TWICE = 2;

function light(svg) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  root.querySelectorAll("style.dark").forEach((style) => style.remove()); // a file has no dark mode to follow
  return root;
}

async function png(svg) {
  const root = light(svg);
  const width = parseFloat(root.getAttribute("width")), height = parseFloat(root.getAttribute("height"));
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" }));
  try {
    const picture = new Image(width * TWICE, height * TWICE);
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * TWICE);
    canvas.height = Math.round(height * TWICE);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const made = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (!made) throw new Error("no picture");
    return made;
  } finally {
    URL.revokeObjectURL(address);
  }
}

function save(blob, file) {
  const address = URL.createObjectURL(blob), link = document.createElement("a");
  link.href = address;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
