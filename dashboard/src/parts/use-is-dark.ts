// Whether the page is dark, for what is painted and does not take its colours from the page: a canvas.

import { useSyncExternalStore } from 'react'

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-mode'] })
  return () => observer.disconnect()
}

export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset['mode'] === 'dark')
}
