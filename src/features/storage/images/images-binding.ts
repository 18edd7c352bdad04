// The platform's maker of images, as far as it is used, written by shape, so that Node programs can read the types.

/** The binding IMAGES. What it refuses it throws as an error with a `code`. */
export interface Images {
  info(image: ReadableStream<Uint8Array>): Promise<ImageInfo>
  input(image: ReadableStream<Uint8Array>): ImageTransformer
}

/** Size in pixels; an SVG has none. */
export interface ImageInfo {
  format: string
  width?: number
  height?: number
}

export interface ImageTransformer {
  transform(options: { width?: number; height?: number; fit: ImageFit }): ImageTransformer
  output(options: { format: OutputType; quality?: number; anim: false }): Promise<{
    image(): ReadableStream<Uint8Array>
  }>
}

/** The first two never make an image larger than it is. */
export type ImageFit = 'scale-down' | 'crop' | 'squeeze'

export type OutputType = 'image/avif' | 'image/jpeg' | 'image/png' | 'image/webp'
