// The page at /docs: Scalar's reference, which reads /openapi.json. Its program is made by scripts/build-reference.ts.

export const PROGRAM_PATH = '/docs/scalar.js'

/** Scalar's own greys and signal colours are too pale to be read by everybody (WCAG 1.4.3 asks for 4.5 to 1). */
const STYLE = `
.light-mode {
  --scalar-color-2: #595959;
  --scalar-color-3: #666666;
  --scalar-color-green: #006b43;
  --scalar-color-blue: #005c99;
  --scalar-color-yellow: #7a5a00;
  --scalar-color-orange: #9a4a00;
  --scalar-color-red: #c00000;
  --scalar-color-purple: #6a32b8;
  --scalar-color-accent: #005c99;
}
.dark-mode {
  --scalar-color-2: #b8b8b8;
  --scalar-color-3: #a8a8a8;
  --scalar-color-red: #ff7070;
}
`

/** Scalar asks nobody but us: no fonts, no telemetry, no proxy, no chat from elsewhere. */
const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'apiKey' },
  customCss: STYLE,
}

const attribute = (value: unknown) => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;')

export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quoin: API reference</title>
</head>
<body>
<noscript>
<h1>Quoin: API reference</h1>
<p>This page needs JavaScript. The same is at <a href="/openapi.json">/openapi.json</a>, as an OpenAPI document.</p>
</noscript>
<script id="api-reference" type="application/json" data-configuration="${attribute(CONFIGURATION)}"></script>
<script src="${PROGRAM_PATH}"></script>
</body>
</html>
`

/**
 * Scripts are strict, because this origin has the cookies of /api: no inline ones, and no connection to anywhere else.
 * Styles are not: Scalar sets them on its elements.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
