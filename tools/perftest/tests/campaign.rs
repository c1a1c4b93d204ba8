//! Campaigns of real processes: begun, interrupted in every way, and gone on with.

mod common;

use common::{script, stdout, two_hosts};
use dunlin_campaign::record::{Directory, Outcome};

/// A file of two cells, each measured three times, and words for the scripts: `runs` counts what is
/// recorded, `publisher` finds the running publisher (a child of the campaign whose command line
/// names the histogram).
///
/// On a busy machine a short run may see no echo, which is then its result: who needs figures
/// measures for seconds. What is to be killed or interrupted measures for so long that it cannot
/// end before.
const SETUP: &str = r#"
    cd $(mktemp -d); dir=$PWD
    printf '%s\n' 'seconds = 0.2' 'repetitions = 3' 'with = []' '[[work]]' 'transports = ["TCP"]' 'sizes = [32, 64]' > c.toml
    runs() { [ -f out/runs.jsonl ] && grep -c . out/runs.jsonl || echo 0; }
    publisher() { for one in $(cat /proc/$campaign/task/$campaign/children); do
        grep -qz -- -histogramFile /proc/$one/cmdline && echo $one && return
    done 2> /dev/null; false; }
    finds_side() { side=$(publisher); }
    gone() { [ ! -e /proc/$1 ] || grep -q 'State:.[ZX]' /proc/$1/status; }
    until_true() { for _ in $(seq 15000); do "$@" > /dev/null && return; sleep 0.02; done; echo "never: $*"; }
    has() { [ $(runs) -ge $1 ]; }
    twice() { sed 's/,"started".*//' out/runs.jsonl | sort | uniq -d; }
"#;

fn in_place(text: &str) -> String {
    let output = script(&format!("{SETUP}{text}"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    format!("{}{errors}", stdout(&output))
}

fn has(text: &str, what: &str) {
    assert!(text.contains(what), "'{what}' is not in:\n{text}");
}

#[test]
fn a_campaign_that_was_killed_goes_on_with_exactly_what_is_missing() {
    let text = in_place(
        "$P campaign c.toml --output out 2> err & campaign=$!
         until_true has 1; until_true finds_side
         kill -9 $campaign; wait $campaign 2> /dev/null
         # The sides end with it.
         until_true gone $side
         $P campaign c.toml --output out 2>&1 | head -1
         $P campaign --resume --output out 2> err & campaign=$!
         until_true has 3; kill -9 $campaign; wait $campaign 2> /dev/null
         $P campaign --resume --output out 2> err
         echo runs $(runs) twice $(twice)
         ls out/histograms | wc -l
         $P campaign --resume --output out 2>&1 > /dev/null | grep -c left",
    );
    has(&text, "holds a campaign already");
    has(&text, "runs 6 twice\n6\n0\n");
}

#[test]
fn an_interrupted_campaign_says_how_to_go_on() {
    let text = in_place(
        "sed -i 's/0.2/20/' c.toml
         $P campaign c.toml --output out > tables & campaign=$!
         until_true finds_side
         kill -INT $campaign; wait $campaign; echo status $?
         gone $side && echo nobody left; echo runs $(runs)",
    );
    has(&text, "status 1\nnobody left\nruns 0");
    has(&text, "interrupted. 0 of 6 runs are in out; ");
    has(&text, "--resume --output out goes on");
}

#[test]
fn an_interrupted_campaign_reports_on_what_there_is() {
    let text = in_place(
        "sed -i 's/= 3/= 300/' c.toml
         $P campaign c.toml --output out > tables 2> err & campaign=$!
         until_true has 1; kill -INT $campaign; wait $campaign; echo status $?
         grep -c '^Report: out/report.html' err; ls out/report.md",
    );
    has(&text, "status 1\n1\nout/report.md\n");
}

#[test]
fn a_side_that_is_killed_is_a_failed_run_and_the_rest_goes_on() {
    let text = in_place(
        "sed -i 's/0.2/4/; s/= 3/= 1/' c.toml
         $P campaign c.toml --output out > tables & campaign=$!
         until_true finds_side; sleep 0.5; kill -9 $side
         wait $campaign; echo status $? runs $(runs)
         grep -c measured out/runs.jsonl; cat tables",
    );
    has(&text, "status 1 runs 2\n1\n");
    has(&text, "failed: publisher: it was ended by signal 9");
    has(&text, "1 of 2 runs failed");
}

#[test]
fn a_full_disk_is_named_and_the_campaign_goes_on_when_there_is_room() {
    let text = in_place(
        r#"unshare -m bash -c '
         mkdir small && mount -t tmpfs -o size=512k none small || exit
         head -c 600k /dev/zero > small/filler 2> /dev/null
         $P campaign c.toml --output small/out 2>&1 | tail -1; rm small/filler
         $P campaign c.toml --output small/out > tables 2> err & campaign=$!
         for _ in $(seq 15000); do [ -s small/out/runs.jsonl ] && break; sleep 0.02; done
         head -c 600k /dev/zero > small/filler 2> /dev/null
         wait $campaign; echo status $?; tail -1 err
         rm small/filler; mount -o remount,size=64m small
         $P campaign --resume --output small/out > tables 2> err
         grep -c "Report" err; grep -c . small/out/runs.jsonl'"#,
    );
    assert!(text.starts_with("Error: the disk is full ("), "{text}");
    has(&text, "status 1\nError: the disk is full (");
    has(&text, "--resume --output small/out goes on");
    has(&text, "1\n6\n");
}

#[test]
fn mistakes_are_told_before_anything_is_measured() {
    let text = in_place(
        "$P campaign slow 2>&1
         $P campaign c.toml --with raw,nobody 2>&1
         $P campaign c.toml --only nonsense 2>&1
         $P campaign c.toml --seconds 0 2>&1
         sed 's/32/7/' c.toml > d.toml; $P campaign d.toml 2>&1
         $P campaign --resume 2>&1
         $P campaign 2> /dev/null; echo status $?
         $P campaign c.toml --agent 127.0.0.1:9 --secret-file nowhere 2>&1
         ls",
    );
    has(
        &text,
        "slow: No such file or directory (os error 2); the built-in campaigns are listed by --list",
    );
    has(
        &text,
        "nobody is called nobody; there are raw, raw-relay, dunlin",
    );
    has(&text, "no cell's name contains \"nonsense\"");
    has(&text, "--seconds: 0 seconds are not from 0.01 to 3600");
    has(&text, "7 bytes is not from 28");
    has(&text, "no unfinished campaign is in perftest-report");
    has(&text, "status 255");
    has(&text, "--secret-file nowhere: No such file");
    assert!(text.ends_with("c.toml\nd.toml\n"), "{text}");
}

#[test]
fn goals_are_judged_and_decide_how_a_check_ends() {
    let text = in_place(
        r#"$P campaign c.toml --check --output none 2>&1; ls
         printf '%s\n' 'seconds = 2' 'repetitions = 1' '[[chapter]]' 'title = "By TCP"' 'part = "tcp"' \
           '[[chapter.group]]' 'transport = "TCP"' 'size = 32' 'reliable = true' 'rows = [' \
           '{ system = "raw", name = "bare" },' \
           '{ system = "dunlin", name = "own", against = 0, goals = [{ at_most = 1e9 }] },' \
           '{ system = "dunlin", name = "by taskset", how = "taskset", goals = [{ at_least = 1e9, times = 0 }] },' \
           ']' '[[chapter]]' 'title = "By TLS"' '[[chapter.group]]' 'transport = "TLS"' 'size = 64' 'reliable = true' \
           'rows = [{ system = "dunlin", name = "sealed", goals = [{ at_most = 1e9 }] }]' > d.toml
         $P campaign d.toml --only tcp --check --output out; echo status $?
         $P campaign d.toml --only sealed --check --output sealed --markdown page.md; echo status $?
         grep sealed page.md"#,
    );
    has(&text, "Error: --check: this campaign has no goals");
    assert!(
        text.contains("\nc.toml\n") && !text.contains("none\n"),
        "{text}"
    );
    let row = |name: &str| {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = text.lines().find(|line| line.starts_with(name));
        words(line.expect(&text))
    };
    assert!(row("own ").ends_with("PASS"), "{text}");
    assert!(row("by taskset ").contains("1000.00 M x raw") && row("by taskset ").ends_with("miss"));
    has(&text, "1 targets met, 1 missed");
    has(&text, "status 1\n");
    assert!(row("sealed ").contains("Dunlin, TLS") && row("sealed ").ends_with("PASS"));
    has(&text, "status 0\n| sealed | Dunlin, TLS |");
}

#[test]
fn every_mode_leaves_its_figures_and_what_they_are_made_of() {
    let text = in_place(
        r#"sed -i 's/0.2/1/; s/TCP/SHMEM/; s/, 64//; s/= 3/= 1/' c.toml
         echo 'modes = ["latency", "throughput batched", "loaded"]' >> c.toml
         echo 'rates = [200]' >> c.toml
         $P campaign c.toml --output out > /dev/null; echo "in $PWD/out"
         "#,
    );
    let place = text.lines().find_map(|line| line.strip_prefix("in "));
    let (directory, _) = Directory::open(place.expect(&text)).unwrap();
    let runs = directory.runs().unwrap();
    assert_eq!(runs.len(), 3, "{text}");
    let mut logs = 0;
    for run in runs {
        let Outcome::Measured(measured) = run.outcome else {
            panic!("{text}");
        };
        assert_eq!(measured.throughput.is_none(), measured.latency.is_some());
        for latency in [measured.latency, measured.response].into_iter().flatten() {
            let path = directory.histogram(&latency.histogram.unwrap());
            let log = dunlin_campaign::stats::read_hlog(&path).unwrap();
            assert_eq!((log.len(), log.is_empty()), (latency.samples, false));
            logs += 1;
        }
    }
    assert_eq!(logs, 3);
    std::fs::remove_dir_all(directory.path()).unwrap();
}

#[test]
fn both_sides_run_on_virtual_hosts() {
    let text = in_place(
        "sed -i 's/0.2/1/; s/\"TCP\"/\"TCP\", \"UDPv4\", \"SHMEM\"/; s/, 64//; s/= 3/= 1/; s/\\[\\]/[\"raw\"]/' c.toml
         $P campaign c.toml --output out --hosts; echo status $?
         grep -o 'two hosts share no memory ([0-9] cells)' out/campaign.json",
    );
    has(&text, "status 0\ntwo hosts share no memory (2 cells)");
    has(
        &text,
        "Network: two network namespaces with a cable between them",
    );
    has(
        &text,
        "4/4, 0 s left: UDPv4, latency, 32 bytes, reliable, unkeyed, dunlin: 50 %",
    );
}

#[test]
fn an_agent_serves_who_knows_the_secret_and_its_end_is_no_loss() {
    let output = two_hosts(&format!(
        "{SETUP}
         head -c 32 /dev/urandom | base64 > secret; echo 0123456789abcdef > other; chmod 600 secret other
         serve() {{ $THERE $P agent --listen 172.16.0.2:7450 --secret-file secret 2> agent.err & agent=$!
             until_true grep perftest agent.err; }}
         Q='--agent 172.16.0.2:7450 --secret-file'
         $P campaign c.toml $Q secret 2>&1
         serve
         $P campaign c.toml $Q other 2>&1
         sed -i 's/0.2/60/' c.toml
         $P campaign c.toml $Q secret --output out > tables 2> err & campaign=$!
         until_true publisher
         $P campaign c.toml $Q secret --output second 2>&1
         sleep 0.3; kill -9 $agent; wait $campaign; tail -1 err
         sed -i 's/\"seconds\": 60.0/\"seconds\": 0.2/' out/campaign.json
         serve
         $P campaign --resume $Q secret --output out > tables 2> err; echo runs $(runs) twice $(twice)
         kill -INT $agent; wait $agent; echo agent $?"
    ));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = format!("{}{errors}", stdout(&output));
    has(
        &text,
        "is `perftest agent --listen 172.16.0.2:7450 --secret-file FILE` running there?",
    );
    has(&text, "the other side has another secret");
    has(&text, "it serves another campaign now");
    has(&text, "the agent at 172.16.0.2:7450 is gone: ");
    has(
        &text,
        "--resume --output out goes on (with --agent 172.16.0.2:7450",
    );
    has(&text, "runs 6 twice\nagent 0\n");
}

#[test]
fn latency_under_load_has_both_times_and_a_knee() {
    let text = in_place(
        "printf '%s\\n' 'modes = [\"loaded\"]' 'rates = [100, 400]' >> c.toml
         sed -i 's/, 64//; s/= 3/= 1/; s/0.2/2/; s/TCP/SHMEM/' c.toml
         $P campaign c.toml --output out; echo status $?
         grep -c '\"response\":{\"samples\":[1-9]' out/runs.jsonl; ls out/histograms",
    );
    has(&text, "status 0\n2\n");
    has(
        &text,
        "shmem-loaded-400-per-second-32-bytes-reliable-unkeyed-dunlin-response-0.hlog",
    );
    has(
        &text,
        "SHMEM, loaded, 32 bytes, reliable, unkeyed, dunlin: ",
    );
}

#[test]
fn a_rival_takes_its_turn_or_a_line_says_what_to_install() {
    let text = in_place(
        "printf '%s\\n' 'modes = [\"latency\", \"throughput unbatched\"]' >> c.toml
         sed -i 's/, 64//; s/= 3/= 1/; s/0.2/2/; s/TCP/UDPv4/' c.toml
         $P campaign c.toml --with cyclone --output out; echo status $?
         grep -c '\"system\":\"cyclone\".*\"measured\"' out/runs.jsonl
         grep -c 'kept awake' out/runs.jsonl; ls out/histograms",
    );
    has(&text, "status 0");
    if text.contains("cyclone: Debian package") {
        return;
    }
    has(&text, "\n2\n2\n");
    has(
        &text,
        "udpv4-latency-32-bytes-reliable-unkeyed-cyclone-latency-0.hlog",
    );
    assert!(!text.contains(".raw"), "{text}");
}

#[test]
fn system_calls_are_counted_in_runs_of_their_own() {
    let text = in_place(
        "sed -i 's/, 64//; s/= 3/= 2/; s/0.2/2/' c.toml
         $P campaign c.toml --system-calls --output out; echo status $?
         grep -c '\"system_calls\":[0-9].*\"system_calls\":[0-9]' out/runs.jsonl
         ls out/histograms | wc -l; command -v strace || echo no strace",
    );
    has(&text, "status 0");
    if !text.contains("no strace") {
        // Of the first repetition.
        has(&text, "status 0\n1\n2\n");
    }
}

/// On one host and on three: a relay that sleeps needs no processor of its own.
#[test]
fn a_relay_between_the_sides_takes_its_turn() {
    let text = in_place(
        "sed -i 's/0.2/1/; s/TCP/UDPv4/; s/, 64//; s/= 3/= 1/; s/\\[\\]/[\"raw\", \"raw-relay\"]/' c.toml
         echo 'waiting = [\"block\"]' >> c.toml
         $P campaign c.toml --output one; echo status $?
         $P campaign c.toml --output three --hosts; echo status $?
         for place in one three; do
             grep -c '\"middle\":{\"processes\":1,\"cpu\":[0-9.]*,\"load\":[0-9.]*,\"memory\":[1-9]' $place/runs.jsonl
             ls $place/logs; grep -c '^UDPv4,false,false,true,32' $place/csv/hop.csv
             grep -c '| router |' $place/report.md
         done",
    );
    let left = "1\nudpv4-latency-32-bytes-blocking-raw-relay-router-1-0.log\n";
    assert_eq!(text.matches("status 0\n").count(), 2, "{text}");
    assert_eq!(text.matches(left).count(), 2, "{text}");
    has(&text, "Network: three network namespaces at a switch");
    has(&text, "What a router adds over UDPv4");
}

/// `dunlin` is a stand-in beside this perftest.
#[test]
fn a_router_that_dies_fails_its_run_with_its_last_words() {
    let text = in_place(
        "cp $P perftest; sed -i 's/TCP/UDPv4/; s/, 64//; s/= 3/= 1/' c.toml
         printf '%s\\n' 'waiting = [\"block\"]' >> c.toml
         ./perftest campaign c.toml --with dunlin-routed --output none 2>&1 | grep '^Note'
         printf '%s\\n' '#!/bin/sh' 'case $2 in --help) exit;; esac' 'echo \"$*\" >&2; echo Error: no way >&2; exit 2' > dunlin
         chmod +x dunlin
         ./perftest campaign c.toml --with dunlin-routed --output out; echo status $?
         cat out/logs/*; ls out/perftest-routing.xml",
    );
    has(&text, "/dunlin is not there: `make build` makes it");
    has(&text, "Error: no way");
    has(&text, "status 1\nroute run -cfgFile ");
    has(
        &text,
        "perftest-routing.xml -cfgName perftest -domainIdBase 0 -stopAfter 121 ",
    );
    has(
        &text,
        "-DTYPE=TestData_t -DRELIABILITY=RELIABLE_RELIABILITY_QOS\nError: no way\n",
    );
    has(&text, "failed: router: no way\n");
}

#[test]
fn what_would_spin_on_too_few_processors_is_left_out() {
    let text = in_place(
        "sed -i 's/0.2/1/; s/TCP/UDPv4/; s/, 64//; s/= 3/= 1/' c.toml
         taskset -c 0 $P campaign c.toml --with raw-relay --only raw --output out 2>&1",
    );
    has(
        &text,
        "raw-relay: 3 processes that spin need 3 processors, and there are 1 (1 cell)",
    );
}
