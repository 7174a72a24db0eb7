// A button that saves a plot as PNG.
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector(".save"), said = parentElement.querySelector(".said");
  button.textContent = data.label;
  button.onclick = async () => {
    button.disabled = true;
    said.textContent = "";
    try {
      save(await png(data.svg), `${data.name}.png`);
    } catch {
      said.textContent = "This browser could not make the picture. Save the SVG instead.";
    }
    button.disabled = false;
  };
}
