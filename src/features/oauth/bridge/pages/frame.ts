// What every page of the bridge is given beside its own content.

/** How the deployment presents itself to its end users. */
export interface Brand {
  name: string
  /** As #rrggbb. */
  color: string
  logoUrl: string | undefined
}

export interface PageFrame {
  brand: Brand
  /** What the page's Content-Security-Policy lets its one style sheet through with. */
  nonce: string
}
