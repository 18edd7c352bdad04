// The style sheet of /docs. Follows the reader's light or dark setting.

export const STYLE = `
:root { color-scheme: light dark; --fg: #1c2230; --dim: #5d6778; --bg: #ffffff; --soft: #f4f6f9; --line: #dfe4ea;
  --accent: #2456c8; --get: #0b7a4b; --post: #2456c8; --patch: #9a5b00; --put: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e8ef; --dim: #98a2b3; --bg: #12151c; --soft: #1a1f29;
  --line: #2b3240; --accent: #86a9ff; --get: #58c791; --post: #86a9ff; --patch: #e0a458; --put: #e0a458;
  --delete: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 20rem minmax(0, 1fr); color: var(--fg); background: var(--bg);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, b { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.88em; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1.25rem;
  border-right: 1px solid var(--line); background: var(--soft); }
.brand { margin: 0 0 1rem; font-weight: 700; font-size: 1.15rem; } .brand small { color: var(--dim); font-weight: 400; }
nav h2 { margin: 1.1rem 0 0.3rem; font-size: 0.75rem; letter-spacing: 0.08em; text-transform: uppercase; }
nav h2 a { color: var(--dim); }
.link { display: grid; grid-template-columns: 3.6rem 1fr; padding: 0.15rem 0; color: var(--fg); font-size: 0.85rem;
  overflow-wrap: anywhere; }
b { text-transform: uppercase; font-size: 0.75em; letter-spacing: 0.03em; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .put { color: var(--put); }
.delete { color: var(--delete); }
main { padding: 2.5rem clamp(1.25rem, 4vw, 4rem); max-width: 62rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.9rem; } main > section > h2 { margin: 3rem 0 1rem; font-size: 1.3rem; }
article { padding: 1.25rem 0; border-top: 1px solid var(--line); }
h3 { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: baseline; margin: 0; font-size: 1.05rem; }
.auth { margin-left: auto; padding: 0.05rem 0.6rem; border: 1px solid var(--line); border-radius: 1rem;
  color: var(--dim); font-size: 0.75rem; font-weight: 400; }
article p { margin: 0.4rem 0; } .more { color: var(--dim); }
details { margin: 0.8rem 0; } summary { cursor: pointer; font-weight: 600; font-size: 0.85rem; }
table { width: 100%; border-collapse: collapse; margin: 0.4rem 0; font-size: 0.88rem; }
th, td { padding: 0.35rem 0.8rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
th { width: 30%; } .required { color: var(--delete); font-style: normal; } .type { width: 25%; color: var(--dim); }
pre { margin: 0.8rem 0 0; padding: 0.8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 0.5rem;
  background: var(--soft); border: 1px solid var(--line); }
@media (max-width: 56rem) { body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  tr { display: block; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
  th, td, .type { display: block; width: auto; padding: 0; border: 0; } }
`
