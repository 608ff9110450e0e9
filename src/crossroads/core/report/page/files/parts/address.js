// @ts-check
// Addresses within the page: what is open, in which model, and how its lists were edited.
//   #weat6    #weat6&m=glove    #weat6&m=glove&e=x-John,x+Tom

/**
 * What an address says. Target and model are as they are called; edits are as they are written, since each of their
 * words is encoded by itself. A part that cannot be decoded is taken as it is written.
 * @param {string} hash
 * @returns {Address}
 */
export function readAddress(hash) {
  const [first, ...rest] = hash.replace(/^#/, "").split("&");
  /** @param {string} text */
  const plain = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  /** @param {string} key */
  const after = (key) => rest.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1);
  const model = after("m");
  return { model: model === undefined ? null : plain(model), target: plain(first), edits: after("e") ?? "" };
}

/**
 * The address of a target, with the model and the edits where there are any.
 * @param {Address} address
 */
export const writeAddress = ({ model, target, edits }) =>
  `#${encodeURIComponent(target)}${model === null ? "" : `&m=${encodeURIComponent(model)}`}${edits ? `&e=${edits}` : ""}`;
