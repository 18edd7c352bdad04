// What every page of the bridge is given beside its own content.

/** How the deployment presents itself to its end users, by the names of its variables. */
/** How the pages that end users see present the deployment. */
export interface Brand {
  brandName: string
  /** As #rrggbb. */
  brandColor: string
  brandLogoUrl: string | undefined
}

export interface PageFrame {
  brand: Brand
  /** What the page's Content-Security-Policy lets its one style sheet through with. */
  nonce: string
}
