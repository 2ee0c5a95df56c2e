/**
 * Which folder may import which. A folder knows those of its own line and of the lines above it, never those below:
 * the way of a change goes down this list.
 */
const layers = [
  ['row'],
  ['changelog'],
  ['merge'],
  ['connector', 'ddl', 'format', 'options', 'plan', 'sql', 'table'],
  ['buffer'],
  ['delivery'],
  ['sink'],
  ['inspect'],
  ['cli'],
]

const tests = '\\.(test|test-d|test-support)\\.ts$'
const folders = (names) => `^src/(${names.join('|')})/`

const layerRules = layers.slice(0, -1).map((layer, index) => ({
  name: `${layer.join('-')}-knows-no-later-layer`,
  comment: 'Dependencies point one way: row, changelog, merge, plan and seam, buffer, delivery, sink.',
  severity: 'error',
  from: { path: folders(layer), pathNot: tests },
  to: { path: [folders(layers.slice(index + 1).flat()), '^src/index\\.ts$'] },
}))

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'folder-without-a-layer',
      comment: 'A new folder of src has to be given its place in the list of layers above.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [folders([...layers.flat(), 'testing'])] },
      to: {},
    },
    {
      name: 'core-names-no-store',
      comment:
        'Only the list of connectors that come with the package imports adapters, and the command line, which simulates in memory.',
      severity: 'error',
      from: { path: '^src/', pathNot: [tests, '^src/builtin-connectors\\.ts$', '^src/cli/', '^src/testing/'] },
      to: { path: '^adapters/' },
    },
    {
      name: 'adapters-know-only-the-seam',
      comment: 'An adapter imports its own folder, the seam and what the seam speaks of.',
      severity: 'error',
      // the memory connector is the reference: it runs the core's own merge functions
      from: { path: '^adapters/([^/]+)/', pathNot: [tests, '^adapters/memory/'] },
      to: {
        path: '^(src|adapters)/',
        pathNot: [
          '^adapters/$1/',
          folders(['connector', 'row', 'options', 'sql']),
          '^src/merge/merge-plan\\.ts$',
          '^src/(errors|assert)\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-know-only-types-of-plan-and-merge',
      comment: 'What a plan or a change is, as data, belongs to the seam; how it is made does not.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: tests },
      to: {
        path: '^(src|adapters)/',
        pathNot: [
          '^adapters/$1/',
          folders(['connector', 'row', 'options', 'sql', 'changelog', 'merge', 'plan']),
          '^src/(errors|assert)\\.ts$',
        ],
      },
    },
    {
      name: 'testing-is-for-tests',
      comment: 'What is published as tidegate/testing is no part of the running code.',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: [tests, '^src/testing/'] },
      to: { path: '^src/testing/' },
    },
    {
      name: 'tests-are-imported-by-nobody',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(src|adapters)/' },
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: tests },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-dependency-at-run-time',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: [tests, '^src/testing/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'npm-optional', 'type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
