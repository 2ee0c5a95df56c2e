import { defineConfig } from 'vitest/config'

/**
 * Three projects, one after another: quick tests that need no server, tests against real servers, and checks of the
 * package itself. Nothing is tried twice: a test that fails now and then is a fault.
 */
export default defineConfig({
  test: {
    reporters: ['default', './integration-tests/closing-report.ts'],
    maxWorkers: 2,
    retry: 0,
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['./integration-tests/property-seed.ts'],
          include: ['src/**/*.test.ts', 'adapters/**/*.test.ts'],
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          setupFiles: ['./integration-tests/property-seed.ts'],
          include: ['integration-tests/**/*.test.ts'],
          exclude: ['integration-tests/package/**'],
          globalSetup: ['./integration-tests/build-package.ts', './integration-tests/start-stores.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'package',
          include: ['integration-tests/package/**/*.test.ts'],
          globalSetup: './integration-tests/build-package.ts',
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // tsc, biome and npm keep both cores busy by themselves
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
