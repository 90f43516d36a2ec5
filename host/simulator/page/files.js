// Files to send: chosen by the person, or samples that the page draws.

/** @returns {Promise<string>} the bytes in base64 */
export function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] || "");
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(blob);
  });
}

/** The message that carries a chosen file. @param {File} file */
export async function fromFile(file) {
  const family = file.type.split("/")[0];
  const kind = { image: "photo", video: "video", audio: "audio" }[family] || "document";
  return { kind, base64: await base64(file), mimeType: file.type || "application/octet-stream", filename: file.name };
}

function canvas(width, height, paint) {
  const drawn = document.createElement("canvas");
  drawn.width = width;
  drawn.height = height;
  paint(drawn.getContext("2d"), width, height);
  return drawn;
}

function blobOf(drawn, type) {
  return new Promise((resolve) => drawn.toBlob(resolve, type, 0.85));
}

/** A view over hills; its sun stands higher or lower each time. */
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

/** A round face in one of many colours. It needs no font with emoji. */
function face(paper, width, height) {
  const [x, y, radius] = [width / 2, height / 2, width * 0.44];
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

/** A sample of a kind. The simulator has samples of its own for the kinds that are not drawn here. */
export async function sample(kind) {
  if (kind === "photo") {
    const blob = await blobOf(canvas(640, 420, landscape), "image/jpeg");
    return { kind, base64: await base64(blob), mimeType: "image/jpeg", filename: "view.jpg" };
  }
  if (kind === "sticker") {
    const blob = await blobOf(canvas(256, 256, face), "image/webp");
    // A browser without WebP draws another type, so the sample of the simulator is sent.
    return blob.type === "image/webp" ? { kind, base64: await base64(blob), mimeType: "image/webp", filename: "sticker.webp" } : { kind };
  }
  const stored = {
    voice: ["voice.ogg", "audio/ogg; codecs=opus"], video: ["clip.mp4", "video/mp4"], document: ["menu.pdf", "application/pdf"],
  }[kind];
  if (!stored) return { kind };
  const [filename, mimeType] = stored;
  const answer = await fetch(`/page/samples/${filename}`);
  return { kind, base64: await base64(await answer.blob()), mimeType, filename };
}
