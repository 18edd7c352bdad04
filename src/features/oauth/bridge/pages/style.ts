// The style sheet of the bridge's pages: one column that fits a phone, in the reader's light or dark setting, with the
// deployment's colour.

/** The sheet for an accent colour, given as #rrggbb. Text in a light colour is darkened where it stands on white. */
export function styleSheet(color: string): string {
  const light = isLight(color)
  const onBrand = light ? '#14181f' : '#ffffff'
  const onWhite = light ? 'color-mix(in oklab, var(--brand) 45%, black)' : 'var(--brand)'
  const onBlack = light ? 'var(--brand)' : 'color-mix(in oklab, var(--brand) 55%, white)'
  return `:root { --brand: ${color}; --on-brand: ${onBrand}; --on-white: ${onWhite}; --on-black: ${onBlack}; }${RULES}`
}

/** The luminance at which white text has a contrast of 4.5 (WCAG 2.2, 1.4.3): on a lighter colour it cannot be read. */
const LUMINANCE_UNDER_WHITE_MAX = 0.183

/** Relative luminance, as WCAG 2.2 defines it. */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LUMINANCE_UNDER_WHITE_MAX
}

const RULES = `
:root { color-scheme: light dark; --ink: #1a2029; --dim: #566172; --page: #f2f4f7; --card: #ffffff; --line: #dbe1e8;
  --accent: var(--on-white); --tint: color-mix(in oklab, var(--brand) 9%, var(--card)); --bad: #b3261e;
  --good: #19734a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --dim: #a0abba; --page: #0f1319; --card: #181d26;
  --line: #2e3644; --accent: var(--on-black); --bad: #ff9a92; --good: #6fd3a1; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; grid-template-rows: auto 1fr auto;
  justify-items: center; padding: 1.25rem 1rem; color: var(--ink); background: var(--page);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.3rem; }
.brand { display: flex; align-items: center; gap: 0.6rem; width: 100%; max-width: 27rem; padding: 0.25rem 0 1rem;
  font-weight: 650; }
.brand img { max-height: 2rem; max-width: 10rem; }
main { align-self: center; width: 100%; max-width: 27rem; padding: 1.75rem; border: 1px solid var(--line);
  border-radius: 1rem; background: var(--card); box-shadow: 0 1px 2px #0000000d, 0 12px 32px #00000012;
  overflow-wrap: anywhere; }
footer { width: 100%; max-width: 27rem; padding-top: 1rem; color: var(--dim); font-size: 0.8rem; text-align: center; }
h1 { margin: 0 0 0.35rem; font-size: 1.35rem; line-height: 1.25; letter-spacing: -0.01em; text-wrap: balance; }
h2, legend { margin: 0; padding: 0; font-size: 0.9rem; font-weight: 650; }
p { margin: 0 0 0.75rem; } .dim { color: var(--dim); } .small { font-size: 0.85rem; }
.logo { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin-bottom: 1rem; border-radius: 0.9rem;
  overflow: hidden; background: var(--tint); color: var(--accent); font-size: 1.4rem; font-weight: 650; }
.logo img { width: 100%; height: 100%; object-fit: contain; }
.mark { display: grid; place-items: center; width: 2.75rem; height: 2.75rem; margin-bottom: 1rem; border-radius: 50%;
  font-size: 1.3rem; font-weight: 700; color: var(--mood);
  background: color-mix(in oklab, var(--mood) 13%, var(--card)); }
.mark.bad { --mood: var(--bad); } .mark.good { --mood: var(--good); }
.account { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: 0.65rem;
  margin: 1rem 0; padding: 0.55rem 0.75rem; border: 1px solid var(--line); border-radius: 0.7rem; }
.account .who { flex: 1 1 9.5rem; min-width: 0; font-size: 0.95rem; line-height: 1.35; }
.account small { display: block; color: var(--dim); font-size: 0.78rem; line-height: 1.2; }
.avatar { flex: none; display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: 50%;
  background: var(--tint); color: var(--accent); font-weight: 650; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; min-width: 0; } legend { margin-bottom: 0.4rem; }
.choice { display: flex; gap: 0.75rem; align-items: flex-start; padding: 0.6rem 0;
  border-bottom: 1px solid var(--line); cursor: pointer; }
.choice:first-of-type { border-top: 1px solid var(--line); }
.choice input { flex: none; width: 1.2rem; height: 1.2rem; margin: 0.15rem 0 0; accent-color: var(--brand); }
.choice span { min-width: 0; }
.choice small { display: block; color: var(--dim); font-size: 0.85rem; line-height: 1.35; }
.single { padding: 0; border: 0 !important; margin: 0 0 1rem; }
.notice { margin: 1rem 0; padding: 0.75rem 0.9rem; border-left: 0.25rem solid var(--accent); border-radius: 0.15rem;
  background: var(--tint); font-size: 0.92rem; }
.notice p:last-child { margin: 0; }
.notice.bad { border-color: var(--bad); background: color-mix(in oklab, var(--bad) 9%, var(--card)); }
.code { display: block; margin: 0.15rem 0 0.4rem;
  font: 650 1.5rem/1.2 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; letter-spacing: 0.08em; }
label.field { display: block; margin: 1rem 0 0.35rem; font-weight: 600; font-size: 0.9rem; }
input[type=text] { width: 100%; padding: 0.7rem 0.8rem;
  border: 1px solid color-mix(in oklab, var(--ink) 35%, var(--card)); border-radius: 0.7rem; color: inherit;
  background: var(--card); font: 600 1.4rem/1.2 ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
  letter-spacing: 0.08em; text-align: center; }
input[aria-invalid=true] { border-color: var(--bad); }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: 0.65rem; margin: 1.25rem 0 0; }
.actions > :only-child { grid-column: 1 / -1; }
button, .button { display: block; padding: 0.7rem 0.5rem;
  border: 1px solid color-mix(in oklab, var(--ink) 25%, var(--card)); border-radius: 0.7rem; color: var(--ink);
  background: var(--card); font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  cursor: pointer; }
button:hover, .button:hover { border-color: var(--accent); }
.primary { border-color: var(--brand); color: var(--on-brand); background: var(--brand); }
.primary:hover { filter: brightness(1.08); }
button.link { flex: none; padding: 0.3rem 0; border: 0; color: var(--accent); background: none; font-weight: 500;
  font-size: 0.88rem; text-decoration: underline; }
.terms { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--dim);
  font-size: 0.82rem; }
.terms p:last-child { margin: 0; }
.reference { margin: 1.25rem 0 0; color: var(--dim);
  font: 0.75rem/1.4 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
.reference span { display: block; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { body { padding: 0.75rem; } main { padding: 1.25rem; } }
@media (forced-colors: active) { main, button, .button { border: 1px solid; } }
`
