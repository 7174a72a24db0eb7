// Paints an SVG text into a canvas, twice as large, and saves that as a PNG file.
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

function save(blob, name) {
  const address = URL.createObjectURL(blob), link = document.createElement("a");
  link.href = address;
  link.download = `${name}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector(".save"), said = parentElement.querySelector(".said");
  button.textContent = data.label;
  button.onclick = async () => {
    button.disabled = true;
    said.textContent = "";
    try {
      save(await png(data.svg), data.name);
    } catch {
      said.textContent = "This browser could not make the picture. Save the SVG instead.";
    }
    button.disabled = false;
  };
}
