// @ts-check
// Unpacks the script of the page and runs it; the page's policy admits this text and that one alone.

import { inflated } from "./data/bytes.js";

async function start() {
  // The load event, and pictures taken at it, wait for a frame that is being written until the page has drawn itself.
  const frame = document.createElement("iframe");
  frame.id = "until-drawn";
  frame.hidden = true;
  document.body.append(frame);
  frame.contentDocument?.open();
  const packed = document.getElementById("script")?.textContent ?? "";
  const script = document.createElement("script");
  script.textContent = await inflated(packed).text();
  document.body.append(script);
}

start().catch((error) => {
  document.getElementById("until-drawn")?.remove();
  const note = document.createElement("p");
  note.className = "failed";
  note.textContent = `This browser cannot show the tables and charts of this page: ${error}`;
  document.querySelector("main")?.before(note);
});
