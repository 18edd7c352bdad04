// The page that signs a browser out of its applications: a hidden frame for each, then on. OpenID Connect Front-Channel
// Logout 1.0. It goes on by itself when all frames are there, after some seconds when one is not, and without scripts.

import { html, raw } from 'hono/html'

const WAIT_SECONDS_MAX = 7

/** `frames` are the front-channel addresses with `iss` and `sid`. */
export function frontChannelPage(frames: readonly string[], redirectTo: string) {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="refresh" content="${WAIT_SECONDS_MAX}; URL=${redirectTo}">
  <title>Signing out</title>
  <style>iframe { position: absolute; height: 0; width: 0; border: none }</style>
  <script>
    let open = ${frames.length}
    const goOn = () => location.replace(${raw(scriptText(redirectTo))})
    const done = () => { if (--open === 0) setTimeout(goOn, 500) }
  </script>
</head>
<body>
  <p>Signing out. <a href="${redirectTo}">Continue</a></p>
  ${frames.map(frame => html`<iframe src="${frame}" onload="done()"></iframe>`)}
</body>
</html>`
}

/** A text as a script may hold it: nothing in it can end the script. */
function scriptText(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c')
}
