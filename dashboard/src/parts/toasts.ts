import { createKumoToastManager } from '@cloudflare/kumo'

/** `toasts.add({ title })` from anywhere: for what succeeded. What failed is said where it was done. */
export const toasts = createKumoToastManager()
