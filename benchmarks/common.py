"""What several benchmarks measure with: processor time, the peak of torch's allocations, COCO's captions."""
import argparse, json, os, time

def processor_seconds(
    work, # Called once, with nothing
)->tuple: # Seconds of processor of this process, and what the work gave back
    "How long something takes, without the neighbours on the machine."
    start = time.process_time()
    result = work()
    return time.process_time() - start, result

def wall_and_processor_seconds(
    work, # Called once, with nothing
)->tuple[float, float]: # Seconds by the clock, and of processor of this process
    "How long something takes, by both clocks."
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu

def childrens_seconds()->float: # Seconds of processor
    "What the processes that this one started, and that ended, have taken so far."
    now = os.times()
    return now.children_user + now.children_system

def allocated_peak(
    step, # Called once, with nothing
)->int: # Bytes
    "Most bytes allocated at once during a step beyond those before it, as torch's profiler counts on a CPU."
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as p: step()
    changes = [e for e in p.profiler.kineto_results.events() if e.name() == "[memory]"]
    held = most = 0
    for e in sorted(changes, key=lambda e: e.start_ns()):
        held += e.nbytes()
        most = max(most, held)
    return most

def coco_captions(
    path, # The published JSON
)->list[list[str]]: # Captions of each image
    "COCO's captions, image by image, in the file's order."
    by_image = {}
    with open(path) as f: annotations = json.load(f)["annotations"]
    for a in annotations: by_image.setdefault(a["image_id"], []).append(a["caption"])
    return list(by_image.values())

def captions_parser(doc:str)->argparse.ArgumentParser:
    "A command line with `--captions`, by default the COCO file of the data folder."
    from concrete_jungle.core import real_data
    parser = argparse.ArgumentParser(description=doc)
    default = real_data("coco", "captions_val2017.json")
    parser.add_argument("--captions", default=default, help="COCO captions, the published JSON")
    return parser
