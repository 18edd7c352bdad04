// Runs before the first paint, so that nobody who chose dark sees a white page first. No inline script: the CSP
// forbids them. The choice itself is made in src/app/theme.ts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('theme')
  } catch {
    // Storage is forbidden: the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mode = isDark ? 'dark' : 'light'
})()
