// Views announce themselves here: {id, title, order, applies(context, data), build(context, data) => nodes}.

const VIEWS = [];
const view = (one) => VIEWS.push(one);

/** A part that opens; its content is made when it is first opened, so that large pages stay quick. */
function opening(summary, build, { id, open = false, kind = "" } = {}) {
  const details = el("details", { id, class: `opening ${kind}`.trim() }, el("summary", {}, summary));
  let made = false;
  const make = () => { if (!made && details.open) { made = true; details.append(el("div", { class: "opened" }, [build()].flat(Infinity))); } };
  details.addEventListener("toggle", make);
  details.make = make;
  if (open) { details.open = true; make(); }
  return details;
}
