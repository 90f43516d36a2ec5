// Files to send: chosen by the person, or samples that the page draws.

/** @param {Blob} blob @returns {Promise<string>} the bytes in base64 */
export function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] || "");
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(blob);
  });
}

/** @type {Map<string, import("./channels/channel.js").FileKind>} */
const FAMILIES = new Map([["image", "photo"], ["video", "video"], ["audio", "audio"]]);

/** The message that carries a chosen file. @param {File} file @returns {Promise<import("./channels/channel.js").FileDraft>} */
export async function fromFile(file) {
  const kind = FAMILIES.get(file.type.split("/")[0]) || "document";
  return { kind, base64: await base64(file), mimeType: file.type || "application/octet-stream", filename: file.name };
}

/** @typedef {(paper: CanvasRenderingContext2D, width: number, height: number) => void} Paint */

/**
 * A drawing as a file of this type. Null if the browser cannot make it.
 * @param {number} width @param {number} height @param {Paint} paint @param {string} type @returns {Promise<Blob|null>}
 */
async function drawing(width, height, paint, type) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const paper = canvas.getContext("2d");
  if (!paper) return null;
  paint(paper, width, height);
  /** @type {Blob|null} */
  const drawn = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.85));
  // A browser without WebP draws another type.
  return drawn?.type === type ? drawn : null;
}

/** A view over hills; its sun stands higher or lower each time. @type {Paint} */
function landscape(paper, width, height) {
  const at = Math.random();
  const sky = paper.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${215 + at * 40} 70% ${30 + at * 30}%)`);
  sky.addColorStop(1, `hsl(${20 + at * 25} 90% 70%)`);
  paper.fillStyle = sky;
  paper.fillRect(0, 0, width, height);
  paper.fillStyle = "#fff3c4";
  paper.beginPath();
  paper.arc(width * (0.25 + at * 0.5), height * (0.3 + at * 0.2), height * 0.11, 0, 7);
  paper.fill();
  for (const [index, color] of ["#5b6ea8", "#3d5286", "#243a5e"].entries()) {
    paper.fillStyle = color;
    paper.beginPath();
    paper.moveTo(0, height);
    for (let x = 0; x <= width; x += 8) {
      const wave = Math.sin(x / (70 - index * 12) + at * 9 + index * 2) + Math.sin(x / (31 + index * 9) + at * 5);
      paper.lineTo(x, height * (0.56 + index * 0.12) + wave * height * 0.04);
    }
    paper.lineTo(width, height);
    paper.fill();
  }
}

/** A round face in one of many colours. It needs no font with emoji. @type {Paint} */
function face(paper, width, height) {
  const [x, y, radius] = [width / 2, height / 2, width * 0.44];
  /** @param {number} left @param {number} up @param {number} size @param {string} color */
  const disc = (left, up, size, color) => {
    paper.fillStyle = color;
    paper.beginPath();
    paper.arc(left, up, size, 0, 7);
    paper.fill();
  };
  const hue = Math.random() * 360;
  disc(x, y, radius, "#fff");
  disc(x, y, radius * 0.93, `hsl(${hue} 85% 66%)`);
  for (const side of [-1, 1]) {
    disc(x + side * radius * 0.36, y - radius * 0.2, radius * 0.15, "#23282b");
    disc(x + side * radius * 0.32, y - radius * 0.25, radius * 0.05, "#fff");
    disc(x + side * radius * 0.6, y + radius * 0.18, radius * 0.13, `hsl(${hue - 25} 90% 60%)`);
  }
  paper.strokeStyle = "#23282b";
  paper.lineWidth = radius * 0.1;
  paper.lineCap = "round";
  paper.beginPath();
  paper.arc(x, y + radius * 0.1, radius * 0.42, 0.35, Math.PI - 0.35);
  paper.stroke();
}

/** @param {string} filename @returns {Promise<Blob|null>} */
async function stored(filename) {
  const answer = await fetch(`/page/samples/${filename}`);
  return answer.ok ? answer.blob() : null;
}

/** @typedef {{filename: string, mimeType: string, make: () => Promise<Blob|null>}} Sample */

/** @type {Map<string, Sample>} */
const SAMPLES = new Map([
  ["photo", { filename: "view.jpg", mimeType: "image/jpeg", make: () => drawing(640, 420, landscape, "image/jpeg") }],
  ["sticker", { filename: "sticker.webp", mimeType: "image/webp", make: () => drawing(256, 256, face, "image/webp") }],
  ["voice", { filename: "voice.ogg", mimeType: "audio/ogg; codecs=opus", make: () => stored("voice.ogg") }],
  ["video", { filename: "clip.mp4", mimeType: "video/mp4", make: () => stored("clip.mp4") }],
  ["document", { filename: "menu.pdf", mimeType: "application/pdf", make: () => stored("menu.pdf") }],
]);

/**
 * A sample of a kind. The simulator has samples of its own for the kinds that are not made here.
 * @param {Exclude<import("./channels/channel.js").MenuKind, "place"|"contact">} kind @returns {Promise<import("./channels/channel.js").Draft>}
 */
export async function sample(kind) {
  const found = SAMPLES.get(kind);
  const blob = await found?.make();
  if (!found || !blob) return { kind };
  return { kind, base64: await base64(blob), mimeType: found.mimeType, filename: found.filename };
}
