// Whether this browser's person has hidden the tour.

const KEY = 'tour'

export function isTourSeen(): boolean {
  try {
    return localStorage.getItem(KEY) === 'seen'
  } catch {
    // Storage is forbidden: a tour at every visit would be worse than none.
    return true
  }
}

export function rememberTour(): void {
  try {
    localStorage.setItem(KEY, 'seen')
  } catch {
    // It is not shown without storage anyway.
  }
}
