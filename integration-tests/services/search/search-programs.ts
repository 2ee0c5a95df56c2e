import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../folders.ts'
import { findProgram, runCommand } from '../run-command.ts'
import { ServiceUnavailable } from '../service-unavailable.ts'

/** Servers that are put together from what their projects publish on Maven Central; there is no archive of them here. */
export type SearchRelease = 'elasticsearch-9' | 'elasticsearch-8' | 'opensearch-3' | 'opensearch-2'

interface Release {
  readonly product: 'Elasticsearch' | 'OpenSearch'
  readonly version: string
  readonly java: number
  /** `group:artifact:version`. */
  readonly artifacts: readonly string[]
}

/** The last Painless that was published for Elasticsearch. */
const painlessVersion = '7.10.2'

function elasticsearch(version: string, java: number): Release {
  const artifacts = [
    `org.elasticsearch:elasticsearch:${version}`,
    `org.elasticsearch.plugin:transport-netty4:${version}`,
  ]
  return { product: 'Elasticsearch', version, java, artifacts }
}

function opensearch(version: string, java: number, log4j: string): Release {
  const plugins = ['transport-netty4-client', 'lang-painless'].map((name) => `org.opensearch.plugin:${name}:${version}`)
  const artifacts = [`org.opensearch:opensearch:${version}`, ...plugins, `org.apache.logging.log4j:log4j-core:${log4j}`]
  return { product: 'OpenSearch', version, java, artifacts }
}

const releases: Readonly<Record<SearchRelease, Release>> = {
  'elasticsearch-9': elasticsearch('9.5.3', 21),
  'elasticsearch-8': elasticsearch('8.19.21', 17),
  'opensearch-3': opensearch('3.9.0', 21, '2.25.5'),
  'opensearch-2': opensearch('2.19.6', 17, '2.25.4'),
}

export interface SearchPrograms {
  readonly product: Release['product']
  readonly java: string
  /** Major version of Java. */
  readonly javaVersion: number
  readonly classPath: string
  readonly mainClass: string
  /** Folder whose `modules` and `plugins` the node reads; undefined: it has none. */
  readonly home: string | undefined
  readonly logSettings: string
}

const sources = import.meta.dirname

/** Downloads and compiles once into the cache. Throws `ServiceUnavailable` where Java or Maven is missing. */
export async function searchPrograms(name: SearchRelease): Promise<SearchPrograms> {
  const release = releases[name]
  const jdk = await findJdk(release.java)
  const target = join(cacheFolder(), `${name}-${release.version}`)
  if (!existsSync(target)) await install(release, jdk.home, target)
  return {
    product: release.product,
    java: join(jdk.home, 'bin', 'java'),
    javaVersion: jdk.version,
    classPath: `${join(target, 'classes')}:${join(target, 'lib')}/*`,
    mainClass: mainClass(release),
    home: release.product === 'Elasticsearch' ? join(target, 'home') : undefined,
    logSettings: join(target, 'log4j2.properties'),
  }
}

function mainClass({ product }: Release): string {
  return `${product === 'Elasticsearch' ? 'Elasticsearch' : 'OpenSearch'}Node`
}

/** Made beside its place and then moved there, so that a run that is broken off or runs at the same time does no harm. */
async function install(release: Release, jdk: string, target: string): Promise<void> {
  const work = mkdtempSync(`${target}-`)
  try {
    await fetchJars(work, 'lib', release.artifacts)
    if (release.product === 'Elasticsearch') await layOutElasticsearch(release, jdk, work)
    const classes = join(work, 'classes')
    await compile(jdk, classes, `${join(work, 'lib')}/*`, [join(sources, `${mainClass(release)}.java`)])
    cpSync(join(sources, 'log4j2.properties'), join(work, 'log4j2.properties'))
    // the server may run as another user
    await runCommand('chmod', ['-R', 'a+rX', work])
    if (!existsSync(target)) renameSync(work, target)
  } catch (error) {
    throw new ServiceUnavailable(
      `${release.product} ${release.version} could not be put together: ${(error as Error).message}`,
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The artifacts and all that they need, through Maven and its own repository. */
async function fetchJars(work: string, folder: string, artifacts: readonly string[]): Promise<void> {
  const maven = findProgram('mvn')
  if (maven === undefined) throw new Error('Maven (mvn) is not on PATH')
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`
  })
  const project = `<project><modelVersion>4.0.0</modelVersion><groupId>tidegate</groupId><artifactId>test-server</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`
  writeFileSync(join(work, 'pom.xml'), project)
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
  const args = ['-B', '-q', goal, `-DoutputDirectory=${join(work, folder)}`, '-DincludeScope=runtime']
  await runCommand(maven, args, { cwd: work, timeoutMs: 900_000 })
}

async function compile(jdk: string, into: string, classPath: string, files: readonly string[]): Promise<void> {
  mkdirSync(into, { recursive: true })
  const options = ['-proc:none', '-nowarn', '-d', into, ...(classPath === '' ? [] : ['-cp', classPath])]
  await runCommand(join(jdk, 'bin', 'javac'), [...options, ...files])
}

/** Elasticsearch looks for its network module in a folder, and for Painless in a plugin that brings the old compiler. */
async function layOutElasticsearch(release: Release, jdk: string, work: string): Promise<void> {
  const module = join(work, 'home', 'modules', 'transport-netty4')
  const plugin = join(work, 'home', 'plugins', 'bridge')
  for (const folder of [module, join(plugin, 'painless')]) mkdirSync(folder, { recursive: true })
  moveJars(join(work, 'lib'), module, /^(netty-|transport-netty4-)/)
  writeDescriptor(module, release, 'transport-netty4', 'org.elasticsearch.transport.netty4.Netty4Plugin')

  const old = ['lang-painless', 'scripting-painless-spi'].map(
    (name) => `org.codelibs.elasticsearch.module:${name}:${painlessVersion}`,
  )
  await fetchJars(work, 'painless-lib', old)
  moveJars(
    join(work, 'painless-lib'),
    join(plugin, 'painless'),
    /^(lang-painless|scripting-painless-spi|asm|antlr4-runtime)-/,
  )
  rmSync(join(work, 'painless-lib'), { recursive: true })

  const bridge = join(sources, 'bridge')
  const major = release.version.split('.', 1)[0]
  const pluginClasses = join(work, 'bridge')
  const pluginFiles = [
    ...filesUnder(join(bridge, 'plugin'), '.java'),
    ...filesUnder(join(bridge, `rest-${major}`), '.java'),
  ]
  await compile(jdk, pluginClasses, `${join(work, 'lib')}/*`, pluginFiles)
  await pack(jdk, join(plugin, 'bridge.jar'), pluginClasses)
  const standIns = join(work, 'stand-ins')
  await compile(jdk, standIns, '', filesUnder(join(bridge, 'painless'), '.java'))
  for (const file of filesUnder(join(bridge, 'painless'), '.txt')) {
    cpSync(file, join(standIns, file.slice(join(bridge, 'painless').length)))
  }
  // the class loader asks the jars in order of their names
  await pack(jdk, join(plugin, 'painless', '0-stand-ins.jar'), standIns)
  writeDescriptor(plugin, release, 'bridge', 'bridge.Bridge')
  for (const folder of [pluginClasses, standIns]) rmSync(folder, { recursive: true })
}

function moveJars(from: string, to: string, names: RegExp): void {
  for (const file of readdirSync(from)) if (names.test(file)) renameSync(join(from, file), join(to, file))
}

function writeDescriptor(folder: string, { version, java }: Release, name: string, className: string): void {
  const lines = {
    name,
    description: name,
    version: '1',
    'java.version': String(Math.min(java, 17)),
    'elasticsearch.version': version,
    classname: className,
  }
  const text = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`)
  writeFileSync(join(folder, 'plugin-descriptor.properties'), text.join(''))
}

async function pack(jdk: string, jar: string, folder: string): Promise<void> {
  await runCommand(join(jdk, 'bin', 'jar'), ['cf', jar, '-C', folder, '.'])
}

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
}

/** The oldest JDK that is new enough: of JAVA_HOME, of PATH, and those that are installed beside it. */
async function findJdk(needed: number): Promise<{ readonly home: string; readonly version: number }> {
  const onPath = findProgram('javac')
  const own = onPath === undefined ? undefined : dirname(dirname(realpathSync(onPath)))
  const siblings = [own === undefined ? undefined : dirname(own), '/usr/lib/jvm'].flatMap((folder) =>
    folder !== undefined && existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  const homes = [process.env['JAVA_HOME'], own, ...siblings].flatMap((home) =>
    home !== undefined && existsSync(join(home, 'bin', 'javac')) ? [realpathSync(home)] : [],
  )
  const versions = [...new Set(homes)].map((home) => ({ home, version: versionOf(home) }))
  const [best] = versions.filter(({ version }) => version >= needed).sort((a, b) => a.version - b.version)
  if (best === undefined) {
    throw new ServiceUnavailable(
      `it needs a JDK of version ${needed} or newer, by JAVA_HOME, on PATH or in /usr/lib/jvm`,
    )
  }
  return best
}

/** As its `release` file says; 0 if it has none. */
function versionOf(home: string): number {
  const file = join(home, 'release')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return Number(/^JAVA_VERSION="(?:1\.)?(\d+)/m.exec(text)?.[1] ?? 0)
}
