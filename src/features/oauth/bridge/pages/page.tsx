// What all pages of the bridge share: head, brand, the one card. No page holds a script.

import type { PageFrame } from './frame.ts'
import { styleSheet } from './style.ts'

interface PageProps {
  frame: PageFrame
  title: string
  /** Where the page goes on by itself. */
  continueTo?: string
  children?: unknown
}

/** A whole document as HTML text. */
export function documentText(page: { toString(): string }): string {
  return `<!doctype html>${page}`
}

export function Page({ frame: { brand, nonce }, title, continueTo, children }: PageProps) {
  const { brandName, brandColor, brandLogoUrl } = brand
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {continueTo !== undefined && <meta http-equiv="refresh" content={`0;url=${continueTo}`} />}
        <title>{`${title} · ${brandName}`}</title>
        <style nonce={nonce} dangerouslySetInnerHTML={{ __html: styleSheet(brandColor) }} />
      </head>
      <body>
        <header class="brand">
          {brandLogoUrl === undefined ? brandName : <img src={brandLogoUrl} alt={brandName} />}
        </header>
        <main>{children}</main>
        <footer>{`Sign-in by ${brandName}`}</footer>
      </body>
    </html>
  )
}
