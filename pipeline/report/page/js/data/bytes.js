// @ts-check
// What a page carries compressed, as `_lettered` in embedding.py writes it.

const LETTERS = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).filter(
  (letter) => !"\"&'-/<>\\~".includes(letter),
);

/** @param {string} text five of 85 letters for every four bytes */
function bytes(text) {
  const place = new Uint8Array(128);
  LETTERS.forEach((letter, digit) => {
    place[letter.charCodeAt(0)] = digit;
  });
  const words = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
  for (let at = 0; at < text.length; at += 5) {
    let word = 0;
    for (let i = at; i < at + 5; i++) word = 85 * word + (i < text.length ? place[text.charCodeAt(i)] : 84);
    words.setUint32((4 * at) / 5, word);
  }
  return new Uint8Array(words.buffer, 0, Math.floor((4 * text.length) / 5));
}

/** @param {string} text */
export function inflated(text) {
  return new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate")));
}
