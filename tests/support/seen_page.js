// Checks of a page in a browser; returns a list of what is wrong.
() => {
  const wrong = [];
  const visible = (element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 1 && box.height > 1 && style.visibility !== "hidden" && style.clipPath === "none";
  };
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!field.labels.length || !field.labels[0].textContent.trim()) wrong.push(`no label: ${field.name}`);
    const help = field.getAttribute("aria-describedby");
    if (help && !document.getElementById(help)) wrong.push(`no help: ${help}`);
  }
  for (const drawing of document.querySelectorAll("svg")) {
    const named = (drawing.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id));
    if (drawing.getAttribute("role") !== "img" || !named.length || named.some((one) => !one || !one.textContent.trim())) {
      wrong.push("a picture without a name");
    }
  }
  for (const link of document.querySelectorAll("a, button")) {
    if (!link.textContent.trim()) wrong.push("a link or a button without words");
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`two elements with the id ${id}`);
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  let before = 1;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) wrong.push(`h${level} after h${before}: ${heading.textContent.slice(0, 30)}`);
    before = level;
  }
  for (const table of document.querySelectorAll("table")) if (!table.caption) wrong.push("a table without a caption");

  const parts = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    if (colour.startsWith("rgb")) { const found = parts(colour); return [...found.slice(0, 3), found.length > 3 ? found[3] : 1]; }
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const found = canvas.getImageData(0, 0, 1, 1).data;
    return [found[0], found[1], found[2], found[3] / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((value, place) => value * top[3] + below[place] * (1 - top[3]));
  const light = (colour) => {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(rgba(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const isDrawn = element.closest("svg") && element.tagName !== "text";
    if (!texts.currentNode.textContent.trim() || seen.has(element) || isDrawn || !visible(element)) continue;
    if (element.closest("g.cell") || element.closest("[disabled]") || element.closest(".heat")) continue; // on a coloured square
    seen.add(element);
    const style = getComputedStyle(element);
    const below = ground(element);
    const colour = over(rgba(element.tagName === "text" ? style.fill : style.color), below);
    const [high, low] = [light(colour), light(below)].sort((one, other) => other - one);
    const contrast = (high + 0.05) / (low + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) wrong.push(`contrast ${contrast.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.push("wider than the window");
  return wrong;
}
