// The version that /v1/status, /openapi.json and outgoing requests name. One home: package.json.

import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
