// The sidebar: what the views say of themselves, in their order.

import { Sidebar, useSidebar } from '@cloudflare/kumo'
import { type StaticDataRouteOption, useLocation } from '@tanstack/react-router'
import { views } from '../views/index.ts'
import { GROUPS, type NavigationEntry } from './root-route.ts'

export interface Place extends NavigationEntry {
  href: string
}

/** What the views say of themselves, with their addresses. */
export const VIEWS: readonly (StaticDataRouteOption & { path: string })[] = views.map(({ options }) => {
  const { path, staticData } = options as { path: string; staticData?: StaticDataRouteOption }
  return { path, ...staticData }
})

/** The views that have an entry, with their addresses. */
export const PLACES: readonly Place[] = VIEWS.flatMap(({ path, navigation }) =>
  navigation === undefined ? [] : [{ ...navigation, href: path }],
)

/** The entry that a page belongs to: a record's is its list's. */
function placeOf(pathname: string): Place | undefined {
  const under = (href: string) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`))
  return PLACES.filter(({ href }) => under(href)).sort((a, b) => b.href.length - a.href.length)[0]
}

export function Navigation() {
  const { pathname } = useLocation()
  const { setOpenMobile, isMobile } = useSidebar()
  const current = placeOf(pathname)
  const groups = GROUPS.map(group => ({ group, places: PLACES.filter(place => place.group === group) }))
  return (
    <Sidebar aria-label="Views">
      <Sidebar.Header>
        <Brand />
      </Sidebar.Header>
      <Sidebar.Content>
        <nav aria-label="Views">
          {groups
            .filter(({ places }) => places.length > 0)
            .map(({ group, places }) => (
              <Sidebar.Group key={group}>
                {group !== '' && <Sidebar.GroupLabel>{group}</Sidebar.GroupLabel>}
                <Sidebar.Menu>
                  {places.map(({ href, label, icon }) => (
                    <Sidebar.MenuItem key={href}>
                      <Sidebar.MenuButton
                        href={href}
                        icon={icon}
                        size="sm"
                        tooltip={label}
                        active={current?.href === href}
                        aria-current={current?.href === href ? 'page' : undefined}
                        onClick={() => isMobile && setOpenMobile(false)}
                      >
                        {label}
                      </Sidebar.MenuButton>
                    </Sidebar.MenuItem>
                  ))}
                </Sidebar.Menu>
              </Sidebar.Group>
            ))}
        </nav>
      </Sidebar.Content>
      <Sidebar.Footer>
        <Sidebar.Trigger />
      </Sidebar.Footer>
    </Sidebar>
  )
}

function Brand() {
  return (
    <span className="flex items-center gap-2 overflow-hidden font-semibold">
      <img src="/favicon.svg" alt="" className="size-6 shrink-0" />
      <span className="truncate">Quoin</span>
    </span>
  )
}
