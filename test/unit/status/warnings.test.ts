import { describe, expect, it } from 'vitest'
import { deploymentWarnings } from '../../../src/features/status/warnings.ts'

const open = {
  baseUrl: 'https://api.example.com',
  identityPublicUrl: 'https://id.example.com',
  dashboardRoles: ['*'],
}

describe('warnings of a deployment', () => {
  // Applications' users sign in at the same identity provider as the team.
  it('say so when every identity may use the dashboard layer', () => {
    expect(deploymentWarnings(open)).toEqual([expect.stringContaining('DASHBOARD_ROLES')])
  })

  it.each([
    ['on this machine', { baseUrl: 'http://127.0.0.1:8787' }],
    ['with roles', { dashboardRoles: ['staff'] }],
    ['without an identity provider', { identityPublicUrl: undefined }],
  ])('are silent %s', (_, settings) => {
    expect(deploymentWarnings({ ...open, ...settings })).toEqual([])
  })
})
