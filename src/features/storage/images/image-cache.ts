// Images that were made, for seven days. Their addresses name the version of the file, so none is ever out of date.

/** Whoever keeps images; losing some costs nothing but time. */
export interface ImageCache {
  find(name: string): Promise<RenderedImage | undefined>
  keep(name: string, image: RenderedImage): Promise<void>
}

export interface RenderedImage {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
}

/** The platform's Cache, as far as it is used. */
interface PlatformCache {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
}

const KEPT_SECONDS = 7 * 86_400
/** Nobody can ask for it from outside: no such host exists. */
const ORIGIN = 'https://images.invalid'

/** In the data centre's cache. What fails there is as if nothing were kept. */
export function makeImageCache(): ImageCache {
  return {
    async find(name) {
      try {
        const kept = await platformCache().match(urlOf(name))
        const contentType = kept?.headers.get('content-type')
        if (kept === undefined || contentType == null) return undefined
        return { bytes: new Uint8Array(await kept.arrayBuffer()), contentType }
      } catch {
        return undefined
      }
    },
    async keep(name, { bytes, contentType }) {
      const headers = { 'content-type': contentType, 'cache-control': `public, max-age=${KEPT_SECONDS}` }
      try {
        await platformCache().put(urlOf(name), new Response(bytes, { headers }))
      } catch {
        // It is made again.
      }
    },
  }
}

/** workerd always has one by this name; the types of other runtimes do not know it. */
function platformCache(): PlatformCache {
  return (caches as CacheStorage & { default: PlatformCache }).default
}

function urlOf(name: string): string {
  return `${ORIGIN}/${encodeURIComponent(name)}`
}
