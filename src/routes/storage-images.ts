// Images in another size or format, for who may read the file. Without a key: `supabase-storage-public.ts`.

import { AS_CALLER, IMAGE } from '../features/storage/documented.ts'
import { serveImage } from '../features/storage/images/serve-image.ts'
import { Transformation } from '../features/storage/images/transformation.ts'
import { placeOf } from '../features/storage/names.ts'
import { findFile } from '../features/storage/objects/find-object.ts'
import { OBJECT_PARAMS } from '../features/storage/schemas.ts'
import { storageCall } from '../features/storage/storage-call.ts'
import { defineRoute } from '../http/route.ts'

export const storageImageRoutes = [
  defineRoute({
    id: 'storage.render',
    method: 'get',
    mounts: {
      '/v1/storage/render/:bucket/:name{.+}': 'any_key',
      '/api/storage/render/:bucket/:name{.+}': 'admin',
    },
    params: OBJECT_PARAMS,
    summary: 'An image in another size or format',
    description:
      'Of JPEG, PNG, WebP, AVIF and GIF up to 20 MB and 50 million pixels, where the deployment has the binding ' +
      `IMAGES. It is kept by version and options. ${AS_CALLER}`,
    query: Transformation,
    documented: IMAGE,
    handle: async input => {
      const { deps, params, query } = input
      const row = await findFile(deps, storageCall(input, 'render.image_authenticated'), placeOf(params))
      return await serveImage(deps, row, query, input, { download: undefined, isPublic: false })
    },
  }),
]
